package wirecase

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// check compares one body, or one line, with what is wanted of it.
func (w Want) check(body []byte) error {
	switch {
	case w.Empty:
		if len(body) != 0 {
			return fmt.Errorf("want no body, got %s", clip(body))
		}
	case w.Single != nil:
		if err := w.Single.check(body); err != nil {
			return fmt.Errorf("%w\nin %s", err, clip(body))
		}
	case w.Entries != nil:
		var got []json.RawMessage
		if err := json.Unmarshal(body, &got); err != nil {
			return fmt.Errorf("want an array of %d entries, got %s (%v)", len(w.Entries), clip(body), err)
		}
		if len(got) != len(w.Entries) {
			return fmt.Errorf("want %d entries, got %d: %s", len(w.Entries), len(got), clip(body))
		}
		return pair(len(w.Entries), func(i, j int) error { return w.Entries[i].check(got[j]) },
			func(i int) string { return fmt.Sprintf("entry %s", text(w.Entries[i])) }, body)
	}
	return nil
}

// check says how one response object differs from what is wanted.
func (e Entry) check(raw []byte) error {
	var got map[string]json.RawMessage
	if err := json.Unmarshal(raw, &got); err != nil || got == nil {
		return fmt.Errorf("want a response object, got %s", clip(raw))
	}
	if v := got["jsonrpc"]; string(v) != `"2.0"` {
		return fmt.Errorf(`jsonrpc is %s, not "2.0"`, orAbsent(v))
	}
	id, result, fault := got["id"], got["result"], got["error"]
	switch {
	case id == nil:
		return errors.New("no id")
	case (result == nil) == (fault == nil):
		return errors.New("want exactly one of result and error")
	case len(got) != 3:
		return fmt.Errorf("%d members, want jsonrpc, id and result or error alone", len(got))
	case e.IDRaw != "" && string(id) != e.IDRaw:
		return fmt.Errorf("id: want the bytes %s, got %s", e.IDRaw, id)
	case e.ID != nil && !sameValue(e.ID, id):
		return fmt.Errorf("id: want %s, got %s", e.ID, id)
	case e.Code != nil:
		return e.checkError(fault)
	}
	return e.checkResult(result, fault)
}

func (e Entry) checkError(fault json.RawMessage) error {
	if fault == nil {
		return fmt.Errorf("want error %d, got a result", *e.Code)
	}
	var got struct {
		Code    *json.Number    `json:"code"`
		Message *string         `json:"message"`
		Name    *string         `json:"name"`
		Cause   json.RawMessage `json:"cause"`
	}
	if err := json.Unmarshal(fault, &got); err != nil || got.Code == nil || got.Message == nil {
		return fmt.Errorf("an error object needs a code and a message: %s", clip(fault))
	}
	switch {
	case got.Code.String() != fmt.Sprint(*e.Code):
		return fmt.Errorf("code: want %d, got %s", *e.Code, got.Code)
	case e.Message != nil && *got.Message != *e.Message:
		return fmt.Errorf("message: want %q, got %q", *e.Message, *got.Message)
	case e.Name != nil && (got.Name == nil || *got.Name != *e.Name):
		return fmt.Errorf("name: want %q, got %s", *e.Name, clip(fault))
	case e.Cause != nil && !sameCause(e.Cause, got.Cause):
		return fmt.Errorf("cause: want %s, got %s", e.Cause, orAbsent(got.Cause))
	}
	return nil
}

func (e Entry) checkResult(result, fault json.RawMessage) error {
	if fault != nil {
		return fmt.Errorf("want a result, got error %s", clip(fault))
	}
	if e.Result != nil && !sameValue(e.Result, result) {
		return fmt.Errorf("result: want %s, got %s", e.Result, clip(result))
	}
	if len(e.Has) == 0 {
		return nil
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(result, &got); err != nil {
		return fmt.Errorf("result: want an object, got %s", clip(result))
	}
	for _, k := range e.Has {
		if _, ok := got[k]; !ok {
			return fmt.Errorf("result has no %q: %s", k, clip(result))
		}
	}
	return nil
}

// sameCause takes a wanted cause that is a string as the name of the cause.
func sameCause(want, got json.RawMessage) bool {
	var name string
	if json.Unmarshal(want, &name) != nil {
		return got != nil && sameValue(want, got)
	}
	var cause struct {
		Name string `json:"name"`
	}
	return json.Unmarshal(got, &cause) == nil && cause.Name == name
}

// pair finds for each of n wanted things a distinct one of n that came, by
// augmenting paths, since one that came may satisfy several wants.
func pair(n int, check func(want, got int) error, name func(want int) string, all []byte) error {
	taken := make([]int, n) // got -> want
	for j := range taken {
		taken[j] = -1
	}
	known := make([]int8, n*n) // by want and got: 1 fits, -1 does not, 0 not yet tried
	fits := func(i, j int) bool {
		if k := i*n + j; known[k] == 0 {
			known[k] = -1
			if check(i, j) == nil {
				known[k] = 1
			}
		}
		return known[i*n+j] > 0
	}
	var place func(i int, seen []bool) bool
	place = func(i int, seen []bool) bool {
		for j := range n { // what is free first: most wants never move another
			if taken[j] < 0 && fits(i, j) {
				taken[j] = i
				return true
			}
		}
		for j := range n {
			if seen[j] || !fits(i, j) {
				continue
			}
			seen[j] = true
			if place(taken[j], seen) {
				taken[j] = i
				return true
			}
		}
		return false
	}
	var errs []error
	for i := range n {
		if taken[i] < 0 && fits(i, i) { // replies mostly keep the order
			taken[i] = i
			continue
		}
		if !place(i, make([]bool, n)) {
			err := fmt.Errorf("%s did not come", name(i))
			if diff := check(i, i); diff != nil {
				err = fmt.Errorf("%w: %w", err, diff)
			}
			errs = append(errs, err)
		}
	}
	if errs == nil {
		return nil
	}
	return fmt.Errorf("%w\nin %s", errors.Join(errs...), clip(all))
}

// sameValue compares two JSON texts by value: members in any order, strings
// decoded, numbers exactly.
func sameValue(a, b []byte) bool {
	x, okX := decode(a)
	y, okY := decode(b)
	return okX && okY && same(x, y)
}

func decode(raw []byte) (v any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return v, dec.Decode(&v) == nil
}

func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b {
			return ok
		}
		x, okX := new(big.Rat).SetString(a.String())
		y, okY := new(big.Rat).SetString(b.String())
		return okX && okY && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}

func text(e Entry) string {
	b, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func orAbsent(raw []byte) string {
	if raw == nil {
		return "absent"
	}
	return clip(raw)
}

// clip is what an error shows of a text that came.
func clip(b []byte) string {
	const most = 2048
	s := strings.ToValidUTF8(string(b[:min(len(b), most)]), "\uFFFD")
	if len(b) > most {
		s += fmt.Sprintf("... (%d bytes)", len(b))
	}
	return fmt.Sprintf("%q", s)
}
