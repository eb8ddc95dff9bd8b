package target_test

import (
	"strconv"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

func itoa(i int) string { return strconv.Itoa(i) }

// TestMembers sends each member between two good ones: the good ones are
// answered, and the member itself as the policy says.
func TestMembers(t *testing.T) {
	unknown := failure(-32601, "Method not found", "7")
	noParams := &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "Invalid params"}
	badParams := failure(-32602, "Invalid params", "7")
	rules := map[string]func(*target.Policy){
		"":           nil,
		"no null id": func(p *target.Policy) { p.NullIDInvalid = true },
		"compact":    func(p *target.Policy) { p.VersionOptional = true },
		"strict":     func(p *target.Policy) { p.UnknownMembersValid = false },
		"lenient":    func(p *target.Policy) { p.PrimitiveParams = noParams },
		"named":      func(p *target.Policy) { p.ArrayParams = noParams },
		"reserved":   func(p *target.Policy) { p.ReservedPrefix = "notifications/" },
		"only echo": func(p *target.Policy) {
			p.BatchMethods = map[string]bool{"echo": true}
			p.NotInBatch = jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"}
		},
	}
	for _, tt := range []struct{ rule, member, want string }{
		{"", `1`, invalidAnswer},
		{"", `"a"`, invalidAnswer},
		{"", `null`, invalidAnswer},
		{"", `true`, invalidAnswer},
		{"", `{}`, invalidAnswer},
		{"", `[]`, invalidAnswer},
		{"", `[` + request("echo", "[1]", "1") + `]`, invalidAnswer},
		{"", `{"foo":"boo"}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","result":1,"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","method":"echo","result":1,"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","method":7,"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","method":null,"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","method":7}`, invalidAnswer},

		{"", `{"method":"echo","params":[1],"id":7}`, invalidAnswer},
		{"", `{"method":"echo","params":[1]}`, invalidAnswer},
		{"", `{"jsonrpc":"1.0","method":"echo","params":[1],"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":2.0,"method":"echo","params":[1],"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":null,"method":"echo","params":[1],"id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2\u002e0","method":"echo","params":[1],"id":7}`, result("[1]", "7")},
		{"compact", `{"method":"echo","params":[1],"id":7}`, result("[1]", "7")},
		{"compact", `{"method":"echo","params":[1]}`, ""},
		{"compact", `{"jsonrpc":"1.0","method":"echo","params":[1],"id":7}`, invalidAnswer},
		{"compact", `{"jsonrpc":null,"method":"echo","params":[1],"id":7}`, invalidAnswer},

		{"", request("echo", "[1]", "true"), invalidAnswer},
		{"", request("echo", "[1]", "[7]"), invalidAnswer},
		{"", request("echo", "[1]", `{"a":7}`), invalidAnswer},
		{"", request("echo", "[1]", "null"), result("[1]", "null")},
		{"no null id", request("echo", "[1]", "null"), invalidAnswer},
		{"no null id", notification("echo", "[1]"), ""},

		{"", `{"jsonrpc":"2.0","method":"echo","id":7,"id":8}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","method":"echo","method":"sum","id":7}`, invalidAnswer},
		{"", `{"jsonrpc":"2.0","method":"echo","params":[1],"x":0,"id":7}`, result("[1]", "7")},
		{"strict", `{"jsonrpc":"2.0","method":"echo","params":[1],"x":0,"id":7}`, invalidAnswer},
		{"strict", `{"jsonrpc":"2.0","method":"echo","params":[1],"x":0}`, invalidAnswer},
		{"strict", request("echo", "[1]", "7"), result("[1]", "7")},

		{"", `{"jsonrpc":"2.0","method":"echo","id":7}`, result("null", "7")},
		{"", request("echo", "null", "7"), result("null", "7")},
		{"", request("echo", "{}", "7"), result("{}", "7")},
		{"", request("echo", "5", "7"), invalidAnswer},
		{"", request("echo", `"x"`, "7"), invalidAnswer},
		{"", request("echo", "false", "7"), invalidAnswer},
		{"", notification("echo", "5"), invalidAnswer},
		{"lenient", request("echo", "5", "7"), badParams},
		{"lenient", request("echo", "5", "null"), failure(-32602, "Invalid params", "null")},
		{"lenient", notification("echo", "5"), ""},
		{"lenient", request("echo", "[1]", "7"), result("[1]", "7")},
		{"named", request("echo", "[1]", "7"), badParams},
		{"named", notification("echo", "[1]"), ""},
		{"named", request("echo", "{}", "7"), result("{}", "7")},

		{"", request("notifications/x", "{}", "7"), unknown},
		{"reserved", request("notifications/x", "{}", "7"), invalidAnswer},
		{"reserved", request("notifications/", "{}", "7"), invalidAnswer},
		{"reserved", request("notifications", "{}", "7"), unknown},
		{"reserved", notification("notifications/x", "{}"), ""},

		{"", request("nope", "[1]", "7"), unknown},
		{"", notification("nope", "[1]"), ""},
		{"only echo", request("sum", "[1]", "7"), unknown},
		{"only echo", request("Echo", "[1]", "7"), unknown},
		{"only echo", notification("sum", "[1]"), ""},
		{"only echo", request("echo", "[1]", "7"), result("[1]", "7")},
		{"only echo", request("sum", "5", "7"), invalidAnswer},
	} {
		t.Run(strings.TrimSpace(tt.rule+" "+tt.member), func(t *testing.T) {
			n := target.New(altered{Dialect: dialect(t, ""), policy: rules[tt.rule]}, target.Options{})
			before, after := request("echo", "{}", `"before"`), request("echo", "{}", `"after"`)
			want := "200 [" + result("{}", `"before"`)
			if tt.want != "" {
				want += "," + tt.want
			}
			want += "," + result("{}", `"after"`) + "]"
			if got := post(n, "/", "["+before+","+tt.member+","+after+"]"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestIDsComeBackByteForByte: an id is echoed, never decoded.
func TestIDsComeBackByteForByte(t *testing.T) {
	ids := []string{`0`, `-0`, `1`, `1.0`, `1.50`, `1e3`, `1E+3`, `9007199254740993`, `123456789012345678901234567890`,
		`""`, `"1"`, `"\u0041"`, `"a\/b"`, `"\ud83d\ude00"`, `"😀"`, `"\""`, `null`}
	var members, want []string
	for _, id := range ids {
		members = append(members, request("echo", "[]", id))
		want = append(want, result("[]", id))
	}
	n := generic(t, "")
	if got := post(n, "/", "["+strings.Join(members, ",")+"]"); got != "200 ["+strings.Join(want, ",")+"]" {
		t.Errorf("batch: got %s", got)
	}
	for i, id := range ids {
		if got := post(n, "/", members[i]); got != "200 "+want[i] {
			t.Errorf("singleton %s: got %s", id, got)
		}
	}
}

func TestSingletons(t *testing.T) {
	base := func(p *target.Policy) { p.Base, p.PathMethods = "/rpc", true }
	lenient := func(p *target.Policy) {
		p.PrimitiveParams = &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "Invalid params"}
	}
	withID := strings.Replace(invalidAnswer, "null", "7", 1)
	for _, tt := range []struct {
		name   string
		policy func(*target.Policy)
		path   string
		body   string
		want   string
	}{
		{"a request", nil, "/", request("echo", "[1]", "7"), "200 " + result("[1]", "7")},
		{"white space around", nil, "/", " \r\n" + request("echo", "[1]", "7") + "\t", "200 " + result("[1]", "7")},
		{"an unknown method", nil, "/", request("nope", "[1]", "7"), "200 " + failure(-32601, "Method not found", "7")},
		{"a notification", nil, "/", notification("echo", "[1]"), "204"},
		{"an unknown notification", nil, "/", notification("nope", "[1]"), "204"},
		{"a notification that fails", nil, "/", notification("fail", "{}"), "204"},
		{"a number", nil, "/", "5", "200 " + invalidAnswer},
		{"a response", nil, "/", `{"jsonrpc":"2.0","result":1,"id":1}`, "200 " + invalidAnswer},
		{"primitive params", nil, "/", request("echo", "5", "7"), "200 " + invalidAnswer},
		{"primitive params, answered", lenient, "/", request("echo", "5", "7"), "200 " + failure(-32602, "Invalid params", "7")},
		{"primitive params, of a notification", lenient, "/", notification("echo", "5"), "204"},
		{"no notifications", func(p *target.Policy) { p.SingleNotification = false }, "/", notification("echo", "[1]"), "200 " + invalidAnswer},

		{"at the base", base, "/rpc", request("echo", "[1]", "7"), "200 " + result("[1]", "7")},
		{"at the base with a slash", base, "/rpc/", request("echo", "[1]", "7"), "200 " + result("[1]", "7")},
		{"at its own path", base, "/rpc/echo", request("echo", "[1]", "7"), "200 " + result("[1]", "7")},
		{"a method with a slash", base, "/rpc/a/b", request("a/b", "[1]", "7"), "200 " + failure(-32601, "Method not found", "7")},
		{"at another's path", base, "/rpc/sum", request("echo", "[1]", "7"), "200 " + withID},
		{"a notification at another's path", base, "/rpc/sum", notification("echo", "[1]"), "204"},
		{"malformed at a path", base, "/rpc/sum", "5", "200 " + invalidAnswer},
		{"an array at a path", base, "/rpc/echo", "[" + request("echo", "[1]", "7") + "]", "200 " + invalidAnswer},
		{"an empty array at a path", base, "/rpc/echo", "[]", "200 " + invalidAnswer},
		{"an array at the base", base, "/rpc", "[" + request("echo", "[1]", "7") + "]", "200 [" + result("[1]", "7") + "]"},
		{"an array at the base with a slash", base, "/rpc/", "[" + request("echo", "[1]", "7") + "]", "200 [" + result("[1]", "7") + "]"},
		{"beside the base", base, "/rpcx", "[]", "404 no such page; JSON-RPC is spoken at /rpc"},
		{"above the base", base, "/", "[]", "404 no such page; JSON-RPC is spoken at /rpc"},
		{"no method paths", nil, "/echo", "[]", "404 no such page; JSON-RPC is spoken at /"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := target.New(altered{Dialect: dialect(t, ""), policy: tt.policy}, target.Options{})
			if got := post(n, tt.path, tt.body); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestStatusIsTheDialects: of singletons only; a batch is 200 whatever its
// entries say.
func TestStatusIsTheDialects(t *testing.T) {
	n := target.New(altered{Dialect: dialect(t, ""), status: 422}, target.Options{})
	if got, want := post(n, "/", request("echo", "[]", "1")), "422 "+result("[]", "1"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := post(n, "/", "["+request("echo", "[]", "1")+"]"), "200 ["+result("[]", "1")+"]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestResponseLimit walks the limit over the length of one answer: the array
// counts with its brackets and commas, and notifications do not.
func TestResponseLimit(t *testing.T) {
	members := "[" + strings.Join([]string{
		request("echo", "[1]", "1"), notification("echo", "[1]"), "5", request("echo", "[2]", "2"), request("nope", "[]", "3"),
	}, ",") + "]"
	whole := post(generic(t, ""), "/", members)
	size := len(whole) - len("200 ")
	for _, concurrency := range []string{"1", "16"} {
		for limit := 1; limit <= size+1; limit++ {
			n := generic(t, `{"batch_response_size_limit": `+itoa(limit)+`, "batch_concurrency_limit": `+concurrency+`}`)
			want := whole
			if limit < size {
				want = `200 {"jsonrpc":"2.0","error":{"code":-32011,"message":"The batch response was too large","data":"Exceeded max limit of ` +
					itoa(limit) + `"},"id":null}`
			}
			if got := post(n, "/", members); got != want {
				t.Fatalf("concurrency %s, limit %d of %d: got %s", concurrency, limit, size, got)
			}
		}
	}
	n := generic(t, `{"batch_response_size_limit": 1}`)
	if got := post(n, "/", "["+notification("echo", "[1]")+","+notification("echo", "[1]")+"]"); got != "204" {
		t.Errorf("notifications alone: got %s", got)
	}
}

// TestRefusalData: a refusal tells its limit in the form that the policy asks
// for.
func TestRefusalData(t *testing.T) {
	for form, want := range map[target.DataForm]string{
		target.NoData:    ``,
		target.LimitText: `,"data":"Exceeded max limit of 2"`,
		target.LimitSize: `,"data":{"limit":2,"size":3}`,
	} {
		d := altered{Dialect: dialect(t, `{"batch_size_limit": 2}`), policy: func(p *target.Policy) { p.TooMany.Data = form }}
		want = `200 {"jsonrpc":"2.0","error":{"code":-32010,"message":"The batch request was too large"` + want + `},"id":null}`
		if got := post(target.New(d, target.Options{}), "/", "[1,2,3]"); got != want {
			t.Errorf("form %d: got %s, want %s", form, got, want)
		}
	}
	d := altered{Dialect: dialect(t, `{"batch_response_size_limit": 9}`), policy: func(p *target.Policy) { p.TooLarge.Data = target.LimitSize }}
	body := "[" + request("echo", "[]", "1") + "," + request("echo", "[]", "2") + "]"
	size := len("[" + result("[]", "1") + "," + result("[]", "2") + "]")
	want := `200 {"jsonrpc":"2.0","error":{"code":-32011,"message":"The batch response was too large","data":{"limit":9,"size":` + itoa(size) + `}},"id":null}`
	if got := post(target.New(d, target.Options{}), "/", body); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
