package target

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"volley/internal/jsonrpc"
)

// GenericConfig is the config file of the generic dialect, a flat JSON object.
// What the file leaves out has the value of its policy, and without a policy
// the one that stands here.
type GenericConfig struct {
	// Policy names the node whose rules about batches are followed: see
	// PresetNames. Every setting below that the file names goes before it.
	Policy string `json:"policy"`

	EnableBatchRequests    bool  `json:"enable_batch_requests"`     // default true
	BodyLimit              Limit `json:"body_limit"`                // bytes, default 10 MiB
	BatchSizeLimit         Limit `json:"batch_size_limit"`          // members, default 1000
	BatchLimitPerClient    bool  `json:"batch_limit_per_client"`    // the limit is of a client's running batches together
	BatchConcurrencyLimit  Limit `json:"batch_concurrency_limit"`   // of one batch, default 16; "none": all at once
	BatchConcurrencyShared bool  `json:"batch_concurrency_shared"`  // ... of all batches together
	BatchResponseSizeLimit Limit `json:"batch_response_size_limit"` // bytes, default 10 MiB
	BatchTimeout           Span  `json:"batch_timeout"`             // default none

	BatchResponseCut     ResponseCut     `json:"batch_response_cut"`     // "drain" (default), "stop" or "keep"
	BatchResponseMeasure ResponseMeasure `json:"batch_response_measure"` // "array" (default) or "results"
	BatchMethods         []string        `json:"batch_methods"`          // the only ones in a batch; default any
	OnlyNotifications    int             `json:"only_notifications"`     // HTTP status, default 204
	NullID               NullID          `json:"null_id"`                // "echo" (default), "invalid" or "notification"
	DuplicateIDs         DuplicateIDs    `json:"duplicate_ids"`          // "answer" (default) or "invalid"

	// What is answered to a body as a whole, by parts: the file changes those
	// that it names.
	BatchDisabled    RefusalConfig `json:"batch_disabled"`
	ParseFailed      RefusalConfig `json:"parse_failed"`
	BatchEmpty       RefusalConfig `json:"batch_empty"`
	BatchTooMany     RefusalConfig `json:"batch_too_many"`
	ResponseTooLarge RefusalConfig `json:"batch_response_too_large"`
	BodyTooLarge     RefusalConfig `json:"body_too_large"`

	Slots      int                `json:"slots"`      // of execution, for the whole node, default 4
	Service    map[string]Service `json:"service"`    // by method, default none
	Cost       Costs              `json:"cost"`       // beside the service times, default none
	Contention Contention         `json:"contention"` // default none
	Seed       uint64             `json:"seed"`       // of the service times and costs
	Admission  *AdmissionConfig   `json:"admission"`  // default none
	Misbehave  *MisbehaveConfig   `json:"misbehave"`  // default none
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
	Status  *int            `json:"status"` // HTTP
	Code    *jsonrpc.Code   `json:"code"`
	Message *string         `json:"message"`
	Data    json.RawMessage `json:"data"`
	Form    *RefusalForm    `json:"form"` // "object", "array" (of one), "empty_array", "nothing" or "text"
	ID      *RefusalID      `json:"id"`   // "null" or "first": the first call's
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
	return oneOf(c, text, "drain", "stop", "keep")
}

// UnmarshalText reads array or results.
func (m *ResponseMeasure) UnmarshalText(text []byte) error {
	return oneOf(m, text, "array", "results")
}

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
	return oneOf(n, text, "echo", "invalid", "notification")
}

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
