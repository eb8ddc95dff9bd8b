package nullnode

import (
	"bytes"
	"encoding/json"
)

// Answers says what entries are answered. The zero value answers each with a null
// result. It is not changed while a node uses it. Results go out as they are: who
// makes them sees to it that they are JSON.
type Answers struct {
	// Rules are tried in order, the first that fits an entry gives its result.
	Rules []Rule `json:"rules"`
	// Result is for entries that no rule fits; nil: null.
	Result json.RawMessage `json:"result,omitempty"`
}

// Rule is one kind of entry.
type Rule struct {
	// Has are texts that all stand in the entry as it was sent, such as
	// "method":"query".
	Has    []string        `json:"has"`
	Result json.RawMessage `json:"result"`
}

// opening begins every entry, opened what follows it where there is an id.
var (
	opening = []byte(`{"jsonrpc":"2.0",`)
	opened  = []byte(`"id":`)
)

// appendAnswers appends the body that answers a request's: nothing where no entry asks
// for an answer.
func (a *Answers) appendAnswers(dst, body []byte) []byte {
	batch := len(body) > 0 && body[0] == '['
	between := byte('[')
	next := bytes.Index(body, opening)
	for next >= 0 {
		entry := body[next+len(opening):]
		if next = bytes.Index(entry, opening); next >= 0 {
			body, entry = entry, entry[:next]
		}
		if !bytes.HasPrefix(entry, opened) {
			continue
		}
		id := entry[len(opened):]
		n := 0
		for n < len(id) && id[n] != ',' && id[n] != '}' {
			n++
		}
		if batch {
			dst = append(dst, between)
			between = ','
		}
		dst = append(dst, `{"jsonrpc":"2.0","id":`...)
		dst = append(dst, id[:n]...)
		dst = append(dst, `,"result":`...)
		dst = append(dst, a.result(entry)...)
		dst = append(dst, '}')
	}
	if batch && between == ',' {
		dst = append(dst, ']')
	}
	return dst
}

func (a *Answers) result(entry []byte) []byte {
	for i := range a.Rules {
		if a.Rules[i].fits(entry) {
			return a.Rules[i].Result
		}
	}
	if a.Result == nil {
		return []byte("null")
	}
	return a.Result
}

func (r *Rule) fits(entry []byte) bool {
	for _, text := range r.Has {
		if !contains(entry, text) {
			return false
		}
	}
	return true
}

func contains(b []byte, text string) bool { return bytes.Contains(b, []byte(text)) }
