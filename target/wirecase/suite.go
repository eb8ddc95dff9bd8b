// Package wirecase is the conformance suite of wire cases: what is sent to a
// node, byte for byte, and what must come back. The cases are data (see
// testdata/vectors/README.md beside package target), so that one suite checks
// the node in process, the built command, and any other node that speaks the
// dialect.
//
// The package reads replies with encoding/json and not with the node's own
// wire code: it is an oracle for that code.
package wirecase

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Suite is one file of cases.
type Suite struct {
	Dialect   string `json:"dialect"`             // near, rcp or jsonrpc
	Transport string `json:"transport,omitempty"` // "stdio", or "" for HTTP
	Base      string `json:"base,omitempty"`      // path of the endpoint, for information
	About     string `json:"about,omitempty"`
	Cases     []Case `json:"cases"`
}

// Case is one exchange: over HTTP Request and Want, over standard streams In
// and Out.
type Case struct {
	Name    string          `json:"name"`
	Why     string          `json:"why,omitempty"`  // the rule and where it is from
	Node    json.RawMessage `json:"node,omitempty"` // the node's config file; nil: defaults
	Request Request         `json:"request,omitzero"`
	Want    Want            `json:"want,omitzero"`
	In      []string        `json:"in,omitempty"`    // lines of standard input, which then ends
	Out     []Want          `json:"out,omitempty"`   // lines that must come back, in any order, and no others
	Exits   *int            `json:"exits,omitempty"` // exit status of the command; nil: not looked at
}

// Request is one HTTP request as it goes over the socket.
type Request struct {
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	Headers    map[string]string `json:"headers,omitempty"` // these, and beside them only what HTTP needs
	Body       string            `json:"body,omitempty"`
	BodyRepeat *Repeat           `json:"body_repeat,omitempty"` // in place of Body
}

// Repeat is a body made of one item many times.
type Repeat struct {
	Prefix string `json:"prefix"`
	Item   string `json:"item"`
	Sep    string `json:"sep"`
	Count  int    `json:"count"`
	Suffix string `json:"suffix"`
}

// Bytes is the request's body.
func (r Request) Bytes() []byte {
	if r.BodyRepeat == nil {
		return []byte(r.Body)
	}
	p := r.BodyRepeat
	var b strings.Builder
	b.WriteString(p.Prefix)
	for i := range p.Count {
		if i > 0 {
			b.WriteString(p.Sep)
		}
		b.WriteString(p.Item)
	}
	b.WriteString(p.Suffix)
	return []byte(b.String())
}

// Want is what must come back. Without Empty, Single and Entries the body is
// free.
type Want struct {
	Status  int     `json:"status,omitempty"` // HTTP status; 0 on a standard stream
	Empty   bool    `json:"empty,omitempty"`  // no body at all
	Single  *Entry  `json:"single,omitempty"` // one response object, not an array
	Entries []Entry `json:"entries,omitempty"`
}

// Entry is what one response object must be. Without Code it must carry a
// result, with it an error.
type Entry struct {
	ID      json.RawMessage `json:"id,omitempty"`     // equal in type and value; nil: not looked at
	IDRaw   string          `json:"id_raw,omitempty"` // the exact bytes
	Code    *int64          `json:"code,omitempty"`
	Message *string         `json:"message,omitempty"`
	Name    *string         `json:"name,omitempty"`
	Cause   json.RawMessage `json:"cause,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"` // equal by value; nil: any result
	Has     []string        `json:"has,omitempty"`    // members that the result object must have
}

// Load reads a suite from a file. An unknown key is an error, since an
// expectation that is misspelt would be met by anything; so are a case without
// a name and two of one name.
func Load(path string) (Suite, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Suite{}, err
	}
	var s Suite
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Suite{}, fmt.Errorf("%s: %w", path, err)
	}
	seen := map[string]bool{}
	for i, c := range s.Cases {
		switch {
		case c.Name == "":
			return Suite{}, fmt.Errorf("%s: case %d has no name", path, i+1)
		case seen[c.Name]:
			return Suite{}, fmt.Errorf("%s: two cases named %q", path, c.Name)
		case c.Request.Method == "" && len(c.In) == 0:
			return Suite{}, fmt.Errorf("%s: case %q sends nothing", path, c.Name)
		case c.Request.Method != "" && c.Want.Status == 0:
			return Suite{}, fmt.Errorf("%s: case %q wants no status", path, c.Name)
		}
		seen[c.Name] = true
	}
	if len(s.Cases) == 0 {
		return Suite{}, fmt.Errorf("%s: no cases", path)
	}
	return s, nil
}
