package target_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"volley/target"
)

func TestGenericConfig(t *testing.T) {
	defaults, err := target.ParseGenericConfig(target.ConfigFile{})
	if err != nil {
		t.Fatal(err)
	}
	want := target.GenericConfig{EnableBatchRequests: true, BodyLimit: 10485760, BatchSizeLimit: 1000,
		BatchConcurrencyLimit: 16, BatchResponseSizeLimit: 10485760, OnlyNotifications: 204, Slots: 4}
	if !reflect.DeepEqual(defaults, want) {
		t.Errorf("defaults %+v", defaults)
	}
	c, err := target.ParseGenericConfig(target.ConfigFile{Data: []byte(
		`{"slots": 7, "enable_batch_requests": false, "seed": 18446744073709551615, "service": {"echo": "2ms"}, "body_limit": null}`)})
	if err != nil {
		t.Fatal(err)
	}
	want.Slots, want.EnableBatchRequests, want.Seed = 7, false, 1<<64-1
	if d := c.Service["echo"].Draw(nil); d.String() != "2ms" {
		t.Errorf("service of echo %v", d)
	}
	if c.Service = nil; !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v", c)
	}
}

// TestConfigErrors: each tells where it stands and what is wanted there.
func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"slots": 0}`, `node.json:1:11: slots must be positive, not 0`},
		{"{\n  \"batch_size_limit\": -1\n}", `node.json:2:23: batch_size_limit: want a whole number over zero or "none", got "-1"`},
		{`{"body_limit":0}`, `node.json:1:15: body_limit: want a whole number over zero or "none", got "0"`},
		{`{"batch_concurrency_limit":0}`, `node.json:1:28: batch_concurrency_limit: want a whole number over zero or "none", got "0"`},
		{`{"batch_response_size_limit":0}`, `node.json:1:30: batch_response_size_limit: want a whole number over zero or "none", got "0"`},
		{"{\n\t\"batch_sise_limit\": 1}", `node.json:2:2: no setting is called batch_sise_limit; did you mean batch_size_limit?`},
		{`{"policy": "gett"}`, `node.json:1:12: policy: no policy is called "gett"; there are geth, erigon, jsonrpsee, reth, pathfinder, juno, zksync-os, agave, bitcoind, fulcrum, besu and nearcore`},
		{`{"policy": 1}`, `node.json:1:12: policy: want a string, got "1"`},
		{`{"policy": "geth", "policy": "reth"}`, `node.json:1:20: policy stands twice`},
		{`{"batch_size_limit": "some"}`, `node.json:1:22: batch_size_limit: want a whole number over zero or "none", got "\"some\""`},
		{`{"batch_timeout": "-1s"}`, `node.json:1:19: batch_timeout: want a duration such as "300ms" or "none", not "-1s"`},
		{`{"batch_response_cut": "x"}`, `node.json:1:24: batch_response_cut: want drain, stop or keep, not "x"`},
		{`{"null_id": "x"}`, `node.json:1:13: null_id: want echo, invalid or notification, not "x"`},
		{`{"duplicate_ids": "x"}`, `node.json:1:19: duplicate_ids: want answer or invalid, not "x"`},
		{`{"only_notifications": 500}`, `node.json:1:24: only_notifications: want 200, 202 or 204, not 500`},
		{`{"batch_methods": ["ecko"]}`, `node.json:1:19: batch_methods: no method is called "ecko"; there are sum, subtract, echo, sleep, burn and fail`},
		{`{"batch_too_many": {"form": "x"}}`, `node.json:1:29: batch_too_many.form: want object, array, empty_array, nothing or text, not "x"`},
		{`{"batch_too_many": {"status": 99}}`, `node.json:1:31: batch_too_many.status: want an HTTP status from 200 to 599, not 99`},
		{`{"admission": {}}`, `node.json:1:15: rate: want a number over zero, of what is charged a second`},
		{"{\"admission\": {\n\"rate\": 0}}", `node.json:2:9: rate: want a number over zero, of what is charged a second`},
		{`{"admission": {"rate": 1, "charge": "x"}}`, `node.json:1:37: charge: want request, entry or cost, not "x"`},
		{`{"admission": {"rate": 1, "per": "x"}}`, `node.json:1:34: per: want client or node, not "x"`},
		{`{"admission": {"rate": 1, "burst": -1}}`, `node.json:1:36: burst: want a whole number over zero`},
		{`{"admission": {"rate": 1, "brust": 1}}`, `node.json:1:27: no setting is called brust; did you mean burst?`},
		{`{"admission": {"rate": 1, "charge": "cost", "cost": {"echo": -1}}}`, `node.json:1:62: cost.echo: want a whole number that is not under zero`},
		{`{"admission": {"rate": 1, "cost": {"echo": 1}}}`, `node.json:1:35: cost: costs are looked at with "charge": "cost" alone`},
		{`{"zzz": 1}`, `node.json:1:2: no setting is called zzz`},
		{`{"Slots": 1}`, `node.json:1:2: no setting is called Slots; did you mean slots?`},
		{`{"slots": 1, "slots": 2}`, `node.json:1:14: slots stands twice`},
		{`{"service": {"echo": "1ms", "echo": "2ms"}}`, `node.json:1:29: service.echo stands twice`},
		{`{"service": {"echo": {"constant": "1ms", "constant": "2ms"}}}`, `node.json:1:42: constant stands twice`},
		{`{"service": {"echo": {"measured": {"File": "x"}}}}`, `node.json:1:22: service.echo: measured: want {"file": "times.txt"}`},
		{`{"cost": {"call": "1ms", "call": "2ms"}}`, `node.json:1:26: cost.call stands twice`},
		{`{"admission": {"rate": 1, "rate": 2}}`, `node.json:1:27: rate stands twice`},
		{`{"admission": {"rate": 1, "charge": "cost", "cost": {"echo": 1, "echo": 2}}}`, `node.json:1:65: cost.echo stands twice`},
		{`{"misbehave": {"drop": 0.1, "drop": 0.2}}`, `node.json:1:29: drop stands twice`},
		{`{"slots": "four"}`, `node.json:1:11: slots: want a whole number, got "\"four\""`},
		{`{"slots": 1.5}`, `node.json:1:11: slots: want a whole number, got "1.5"`},
		{`{"slots": 1e99}`, `node.json:1:11: slots: want a whole number, got "1e99"`},
		{`{"seed": -1}`, `node.json:1:10: seed: want a whole number that is not under zero, got "-1"`},
		{`{"enable_batch_requests": 1}`, `node.json:1:27: enable_batch_requests: want true or false, got "1"`},
		{`{"service": []}`, `node.json:1:13: service: want an object, got an array`},
		{`{"service": {"ecko": "1ms"}}`, `node.json:1:22: service: no method is called "ecko"; there are sum, subtract, echo, sleep, burn and fail`},
		{`{"service": {"echo": 5}}`, `node.json:1:22: service.echo: want a duration such as "300us", or an object of one member, constant, exponential, lognormal or measured, with "cpu" beside it where a share is worked`},
		{`{"service": {"echo": "5"}}`, `node.json:1:22: service.echo: "5" is no duration: want one such as "300us"`},
		{`{"é": {}, "service": {"echo": "-5ms"}}`, `node.json:1:2: no setting is called "\u00e9"`},
		{`[]`, `node.json:1:1: want an object, got an array`},
		{`{"slots": 4`, `node.json:1:11: unexpected end of JSON input`},
		{"{\n\"slots\": 4,}", `node.json:2:12: invalid character '}' looking for beginning of object key string`},
		{`{} {}`, `node.json:1:4: invalid character '{' after top-level value`},
	} {
		_, err := target.ParseGenericConfig(target.ConfigFile{Name: "node.json", Data: []byte(tt.text)})
		located, ok := errors.AsType[*target.ConfigError](err)
		if !ok {
			t.Errorf("%s: %v is no ConfigError", tt.text, err)
		} else if located.Error() != tt.want {
			t.Errorf("%s\ngot  %v\nwant %s", tt.text, located, tt.want)
		}
	}
}

type inner struct {
	A int            `json:"a"`
	M map[string]int `json:"m"`
}

// TestConfigDecode: what the file leaves out keeps its value; not strict, it
// passes over what it does not know; a part can be read more strictly.
func TestConfigDecode(t *testing.T) {
	f := target.ConfigFile{Name: "f", Data: []byte(`{"x": 1, "in": {"b": 2, "m": {"k": 3}}, "p": {"a": 4}}`)}
	v := struct {
		In inner  `json:"in"`
		P  *inner `json:"p"`
		Q  *inner `json:"q"`
	}{In: inner{A: 9}}
	if err := f.Decode(&v, false); err != nil {
		t.Fatal(err)
	}
	if v.In.A != 9 || v.In.M["k"] != 3 || v.P.A != 4 || v.Q != nil {
		t.Errorf("got %+v", v)
	}
	if err := f.DecodeAt([]string{"in"}, &v.In, true); err == nil || err.Error() != "f:1:17: no setting is called in.b; did you mean a?" {
		t.Errorf("got %v", err)
	}
	if err := f.DecodeAt([]string{"none", "such"}, &v.In, true); err != nil {
		t.Errorf("an absent part: %v", err)
	}
	if err := f.Errorf([]string{"in", "m", "none"}, "x"); err.Error() != "f:1:30: x" {
		t.Errorf("the nearest value around: %v", err)
	}
}

// TestConfigCase: a name in another case is none, at any depth; not strict, it
// changes nothing. A known name stands once, an unknown one as often as it likes.
func TestConfigCase(t *testing.T) {
	type settings struct {
		In inner            `json:"in"`
		By map[string]inner `json:"by"`
	}
	f := target.ConfigFile{Name: "f", Data: []byte(`{"IN": {"a": 1}, "in": {"A": 2, "m": {"K": 3}}, "by": {"x": {"A": 4, "a": 5}}, "z": 1, "z": 2}`)}
	var v settings
	if err := f.Decode(&v, false); err != nil {
		t.Fatal(err)
	}
	if want := (settings{In: inner{M: map[string]int{"K": 3}}, By: map[string]inner{"x": {A: 5}}}); !reflect.DeepEqual(v, want) {
		t.Errorf("got %+v, want %+v", v, want)
	}
	twice := target.ConfigFile{Name: "f", Data: []byte(`{"in": {"a": 1, "a": 1}}`)}
	if err := twice.Decode(&v, false); err == nil || err.Error() != "f:1:17: in.a stands twice" {
		t.Errorf("got %v", err)
	}
}

// FuzzConfig: a file is taken or gives a located error, within the file.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"slots": 1, "service": {"echo": {"lognormal": {"median": "1ms", "p99": "2ms"}}}}`))
	f.Add([]byte("{\n\"slots\": \"x\"}"))
	f.Add([]byte(`{"policy": "geth", "batch_too_many": {"code": 1, "form": "text"}, "batch_timeout": "1s", "null_id": "echo"}`))
	f.Add([]byte(`{"admission": {"rate": 1.5, "charge": "cost", "cost": {"echo": 2}}}`))
	f.Add([]byte(`{"misbehave": {"drop": "5%", "hang": 0.5, "delay_for": "1s"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := target.ParseGenericConfig(target.ConfigFile{Name: "f", Data: text})
		if err == nil {
			return
		}
		located, ok := errors.AsType[*target.ConfigError](err)
		if !ok || located.Line < 1 || located.Line > 1+strings.Count(string(text), "\n") || located.Column < 1 || located.Msg == "" {
			t.Errorf("%q: %v", text, err)
		}
	})
}
