package target

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"volley/internal/jsonrpc"
)

// GenericConfig is the config file of the generic dialect, a flat JSON object.
// What the file leaves out has the value of its policy, and without a policy
// the one that stands here.
type GenericConfig struct {
	// Every setting below that the file names goes before the policy's.
	Policy string `json:"policy" doc:"the node whose rules about batches are followed; every other setting that is given goes before them"`

	EnableBatchRequests    bool  `json:"enable_batch_requests" doc:"false: batch_disabled answers every batch"`
	BodyLimit              Limit `json:"body_limit" doc:"bytes of an HTTP body and of a line, or \"none\""`
	BatchSizeLimit         Limit `json:"batch_size_limit" doc:"members of a batch, or \"none\""`
	BatchLimitPerClient    bool  `json:"batch_limit_per_client" doc:"the limit is of all running batches of a client together"`
	BatchConcurrencyLimit  Limit `json:"batch_concurrency_limit" doc:"members of one batch under way at once; \"none\": all of them"`
	BatchConcurrencyShared bool  `json:"batch_concurrency_shared" doc:"that is of all batches of the node together"`
	BatchResponseSizeLimit Limit `json:"batch_response_size_limit" doc:"bytes of a batch's answer, or \"none\""`
	BatchTimeout           Span  `json:"batch_timeout" doc:"for a batch, such as \"30s\"; what has no answer then is told so"`

	BatchResponseCut     ResponseCut     `json:"batch_response_cut" doc:"over the answer's limit: drain (run all, then replace it), stop (replace it at once) or keep (what there is, errors for the rest)"`
	BatchResponseMeasure ResponseMeasure `json:"batch_response_measure" doc:"what counts towards it: array, or results alone"`
	BatchMethods         []string        `json:"batch_methods" doc:"the only methods that run in a batch; null: any"`
	OnlyNotifications    int             `json:"only_notifications" doc:"HTTP status when there is nothing to answer: 200, 202 or 204"`
	NullID               NullID          `json:"null_id" doc:"what an id of null makes: echo (a call), invalid or notification"`
	DuplicateIDs         DuplicateIDs    `json:"duplicate_ids" doc:"of a batch: answer, or invalid after the first"`

	// What is answered to a body as a whole, by parts: the file changes those
	// that it names.
	BatchDisabled    RefusalConfig `json:"batch_disabled" doc:"the answer where batches are off; parts that are not given are the policy's"`
	ParseFailed      RefusalConfig `json:"parse_failed" doc:"... to what is no JSON"`
	BatchEmpty       RefusalConfig `json:"batch_empty" doc:"... to an empty array"`
	BatchTooMany     RefusalConfig `json:"batch_too_many" doc:"... to a batch over batch_size_limit"`
	ResponseTooLarge RefusalConfig `json:"batch_response_too_large" doc:"... in place of one over batch_response_size_limit"`
	BodyTooLarge     RefusalConfig `json:"body_too_large" doc:"... to a body over body_limit"`

	Slots      int                `json:"slots" doc:"executions under way at once in the whole node"`
	Service    map[string]Service `json:"service" doc:"service times by method, each a law: \"2ms\", {\"exponential\": \"2ms\"}, {\"lognormal\": {\"median\": \"2ms\", \"p99\": \"15ms\"}}, {\"measured\": {\"file\": \"times.txt\"}}; beside it \"cpu\": \"30%\" for a share that is worked"`
	Cost       Costs              `json:"cost" doc:"times beside the service times, each a law as of service"`
	Contention Contention         `json:"contention" doc:"by what all of these grow with the busy slots (Universal Scalability Law)"`
	Seed       uint64             `json:"seed" doc:"of the times that are drawn"`
	Admission  *AdmissionConfig   `json:"admission" doc:"a ceiling as a gateway in front sets one; null: none"`
	Misbehave  *MisbehaveConfig   `json:"misbehave" doc:"faults on purpose; null: none"`
}

// ParseGenericConfig reads a config file over its policy's defaults; an empty
// file gives the defaults. Errors are *ConfigError: an unknown key or policy, a
// wrong type, a limit that is not positive, a service time for a method that
// there is not.
func ParseGenericConfig(f ConfigFile) (GenericConfig, error) {
	var named struct {
		Policy string `json:"policy"`
	}
	if err := f.Decode(&named, false); err != nil {
		return GenericConfig{}, err
	}
	p, ok := presetOf(named.Policy)
	if !ok {
		return GenericConfig{}, f.Errorf([]string{"policy"}, "policy: no policy is called %+q; there are %s", named.Policy, listed(PresetNames()))
	}
	c := GenericConfig{
		EnableBatchRequests:    p.Enabled,
		BodyLimit:              Limit(p.BodyLimit),
		BatchSizeLimit:         Limit(p.EntryLimit),
		BatchLimitPerClient:    p.LimitPerClient,
		BatchConcurrencyLimit:  Limit(p.Concurrency),
		BatchConcurrencyShared: p.ConcurrencyShared,
		BatchResponseSizeLimit: Limit(p.ResponseLimit),
		BatchTimeout:           Span(p.BatchTimeout),
		BatchResponseCut:       p.ResponseCut,
		BatchResponseMeasure:   p.ResponseSize,
		OnlyNotifications:      p.OnlyNotifications,
		NullID:                 nullIDOf(&p),
		DuplicateIDs:           DuplicateIDs(p.DuplicateIDsInvalid),
		Slots:                  4,
	}
	if c.BatchConcurrencyLimit == AllAtOnce {
		c.BatchConcurrencyLimit = 0
	}
	if err := f.Decode(&c, true); err != nil {
		return c, err
	}
	return c, c.check(f)
}

func (c *GenericConfig) check(f ConfigFile) error {
	if c.Slots < 1 {
		return f.Errorf([]string{"slots"}, "slots must be positive, not %d", c.Slots)
	}
	if c.OnlyNotifications != 200 && c.OnlyNotifications != 202 && c.OnlyNotifications != 204 {
		return f.Errorf([]string{"only_notifications"}, "only_notifications: want 200, 202 or 204, not %d", c.OnlyNotifications)
	}
	for _, r := range c.refusals() {
		if s := r.own.Status; s != nil && (*s < 200 || *s > 599) {
			return f.Errorf([]string{r.key, "status"}, "%s.status: want an HTTP status from 200 to 599, not %d", r.key, *s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Service)) {
		if genericMethodOf([]byte(name)) == noMethod {
			return f.Errorf([]string{"service", name}, "service: no method is called %+q; there are %s", name, genericMethodList)
		}
	}
	for _, name := range c.BatchMethods {
		if genericMethodOf([]byte(name)) == noMethod {
			return f.Errorf([]string{"batch_methods"}, "batch_methods: no method is called %+q; there are %s", name, genericMethodList)
		}
	}
	return nil
}

// policy is the preset with what the config has of its own.
func (c *GenericConfig) policy() Policy {
	p, _ := presetOf(c.Policy)
	p.Enabled = c.EnableBatchRequests
	p.BodyLimit = int64(c.BodyLimit)
	p.EntryLimit, p.LimitPerClient = int(c.BatchSizeLimit), c.BatchLimitPerClient
	p.Concurrency, p.ConcurrencyShared = int(c.BatchConcurrencyLimit), c.BatchConcurrencyShared
	if p.Concurrency == 0 {
		p.Concurrency = AllAtOnce
	}
	p.ResponseLimit, p.ResponseCut, p.ResponseSize = int(c.BatchResponseSizeLimit), c.BatchResponseCut, c.BatchResponseMeasure
	p.BatchTimeout = time.Duration(c.BatchTimeout)
	p.OnlyNotifications = c.OnlyNotifications
	p.NullIDInvalid, p.NullIDNotifies = c.NullID == NullIDInvalid, c.NullID == NullIDNotifies
	p.DuplicateIDsInvalid = bool(c.DuplicateIDs)
	if c.BatchMethods != nil {
		p.BatchMethods, p.NotInBatch = map[string]bool{}, errMethodNotFound
		for _, name := range c.BatchMethods {
			p.BatchMethods[name] = true
		}
	}
	for _, r := range c.refusals() {
		r.own.over(r.of(&p))
	}
	p.Admission, p.Misbehave = c.Admission, c.Misbehave
	return p
}

// refusalSetting is one of the config's refusals, its key and where it goes.
type refusalSetting struct {
	key string
	own *RefusalConfig
	of  func(*Policy) *Refusal
}

func (c *GenericConfig) refusals() []refusalSetting {
	return []refusalSetting{
		{"batch_disabled", &c.BatchDisabled, func(p *Policy) *Refusal { return &p.Disabled }},
		{"parse_failed", &c.ParseFailed, func(p *Policy) *Refusal { return &p.ParseFailed }},
		{"batch_empty", &c.BatchEmpty, func(p *Policy) *Refusal { return &p.Empty }},
		{"batch_too_many", &c.BatchTooMany, func(p *Policy) *Refusal { return &p.TooMany }},
		{"batch_response_too_large", &c.ResponseTooLarge, func(p *Policy) *Refusal { return &p.TooLarge }},
		{"body_too_large", &c.BodyTooLarge, func(p *Policy) *Refusal { return &p.TooLong }},
	}
}

// RefusalConfig changes parts of a Refusal. In a message or data {limit} and
// {size} stand for the limit and for what went over it.
type RefusalConfig struct {
	Status  *int            `json:"status" doc:"HTTP status, 200 to 599"`
	Code    *jsonrpc.Code   `json:"code" doc:"of the error"`
	Message *string         `json:"message" doc:"of the error; {limit} and {size} are filled in"`
	Data    json.RawMessage `json:"data" doc:"of the error, any JSON, {limit} and {size} filled in"`
	Form    *RefusalForm    `json:"form" doc:"object, array (of one object), empty_array, nothing or text"`
	ID      *RefusalID      `json:"id" doc:"null, or first: the first call's"`
}

func (c *RefusalConfig) over(r *Refusal) {
	if c.Status != nil {
		r.Status = *c.Status
	}
	if c.Code != nil {
		r.Error.Code = *c.Code
	}
	if c.Message != nil || c.Data != nil {
		switch r.Data {
		case LimitText:
			r.Error.Data = []byte(`"Exceeded max limit of {limit}"`)
		case LimitSize:
			r.Error.Data = []byte(`{"limit":{limit},"size":{size}}`)
		}
		r.Data = FilledIn
	}
	if c.Message != nil {
		r.Error.Message = *c.Message
	}
	if c.Data != nil {
		if r.Error.Data = c.Data; string(c.Data) == "null" {
			r.Error.Data = nil
		}
	}
	if c.Form != nil {
		r.Form = *c.Form
	}
	if c.ID != nil {
		r.FirstID = bool(*c.ID)
	}
}

// UnmarshalText reads object, array, empty_array, nothing or text.
func (f *RefusalForm) UnmarshalText(text []byte) error {
	return oneOf(f, text, "object", "array", "empty_array", "nothing", "text")
}

// UnmarshalText reads drain, stop or keep.
func (c *ResponseCut) UnmarshalText(text []byte) error {
	return oneOf(c, text, responseCuts[:]...)
}

// MarshalText writes what UnmarshalText reads.
func (c ResponseCut) MarshalText() ([]byte, error) { return []byte(responseCuts[c]), nil }

var responseCuts = [...]string{ReplaceDrained: "drain", ReplaceAtOnce: "stop", KeepPartial: "keep"}

// UnmarshalText reads array or results.
func (m *ResponseMeasure) UnmarshalText(text []byte) error {
	return oneOf(m, text, responseMeasures[:]...)
}

// MarshalText writes what UnmarshalText reads.
func (m ResponseMeasure) MarshalText() ([]byte, error) { return []byte(responseMeasures[m]), nil }

var responseMeasures = [...]string{WholeArray: "array", ResultsOnly: "results"}

// RefusalID tells whether a refusal carries the first call's id.
type RefusalID bool

// UnmarshalText reads null or first.
func (i *RefusalID) UnmarshalText(text []byte) error {
	return either((*bool)(i), text, "null", "first")
}

// DuplicateIDs tells whether members that repeat an id are malformed.
type DuplicateIDs bool

// UnmarshalText reads answer or invalid.
func (d *DuplicateIDs) UnmarshalText(text []byte) error {
	return either((*bool)(d), text, "answer", "invalid")
}

// MarshalText writes what UnmarshalText reads.
func (d DuplicateIDs) MarshalText() ([]byte, error) {
	if d {
		return []byte("invalid"), nil
	}
	return []byte("answer"), nil
}

func either(b *bool, text []byte, no, yes string) error {
	var word uint8
	err := oneOf(&word, text, no, yes)
	*b = word == 1
	return err
}

// NullID is what "id": null makes of a request.
type NullID uint8

// What can be made of it.
const (
	NullIDEchoed NullID = iota
	NullIDInvalid
	NullIDNotifies
)

// UnmarshalText reads echo, invalid or notification.
func (n *NullID) UnmarshalText(text []byte) error {
	return oneOf(n, text, nullIDs[:]...)
}

// MarshalText writes what UnmarshalText reads.
func (n NullID) MarshalText() ([]byte, error) { return []byte(nullIDs[n]), nil }

var nullIDs = [...]string{NullIDEchoed: "echo", NullIDInvalid: "invalid", NullIDNotifies: "notification"}

func nullIDOf(p *Policy) NullID {
	switch {
	case p.NullIDNotifies:
		return NullIDNotifies
	case p.NullIDInvalid:
		return NullIDInvalid
	}
	return NullIDEchoed
}

// Limit is a bound: a whole number over zero in a config file, or "none", which
// is 0.
type Limit int64

// UnmarshalJSON reads a number or "none".
func (l *Limit) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var n int64
	if string(text) == `"none"` {
		*l = 0
		return nil
	}
	if json.Unmarshal(text, &n) != nil || n < 1 {
		return fmt.Errorf(`want a whole number over zero or "none", got %s`, shown(text))
	}
	*l = Limit(n)
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (l Limit) MarshalJSON() ([]byte, error) {
	if l == 0 {
		return []byte(`"none"`), nil
	}
	return strconv.AppendInt(nil, int64(l), 10), nil
}

// Span is a time in a config file, such as "300ms"; "none" is 0.
type Span time.Duration

// UnmarshalText reads a duration that is not under zero, or none.
func (s *Span) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*s = 0
		return nil
	}
	d, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil || d < 0 {
		return fmt.Errorf(`want a duration such as "300ms" or "none", not %+q`, text)
	}
	*s = Span(d)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (s Span) MarshalText() ([]byte, error) {
	if s == 0 {
		return []byte("none"), nil
	}
	return []byte(time.Duration(s).String()), nil
}
