package near

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type called struct {
	BlockHash   string   `json:"block_hash"`
	BlockHeight uint64   `json:"block_height"`
	Error       string   `json:"error"`
	Logs        []string `json:"logs"`
	Result      []int    `json:"result"`
}

func (c called) text() string {
	var b strings.Builder
	for _, v := range c.Result {
		b.WriteByte(byte(v))
	}
	return b.String()
}

func callAt(t *testing.T, d *Dialect, account, method, args, ref string) (c called) {
	t.Helper()
	result(t, d, "query", fmt.Sprintf(`{"request_type":"call_function","account_id":%q,"method_name":%q,"args_base64":%q,%s}`,
		account, method, base64.StdEncoding.EncodeToString([]byte(args)), ref), &c)
	return c
}

type viewedState struct {
	Values []struct{ Key, Value []byte } `json:"values"`
}

// The three ways to a balance: the contract's method, its state, the ledger.
func TestAContractReadsTheStateThatIsViewed(t *testing.T) {
	d, _ := standing3(t)
	for _, token := range []string{"token.near", "wrap.near", "shared.near", "linked.near"} {
		index, _ := namedIndex([]byte(token))
		state := d.ledger.stateOf(d.ledger.at(index))
		for _, height := range []uint64{startHead, startHead - 7} {
			ref := fmt.Sprintf(`"block_id":%d`, height)
			var viewed viewedState
			result(t, d, "query", fmt.Sprintf(`{"request_type":"view_state","account_id":%q,"prefix_base64":"Yg==",%s}`, token, ref), &viewed)
			if len(viewed.Values) != state.holders {
				t.Errorf("%s shows %d balances of %d", token, len(viewed.Values), state.holders)
			}
			for _, v := range viewed.Values {
				got := callAt(t, d, token, "ft_balance_of", fmt.Sprintf(`{"account_id":%q}`, v.Key[1:]), ref)
				holder, _ := indexOf(v.Key[1:])
				ledger := string(state.balance(holder, height).appendTo(nil))
				if want := `"` + value(v.Value).String() + `"`; got.text() != want || got.text() != `"`+ledger+`"` || got.BlockHeight != height {
					t.Errorf("%s at %d: %s is called %s, viewed %s, in the ledger %s", token, height, v.Key, got.text(), want, ledger)
				}
			}
			supply := callAt(t, d, token, "ft_total_supply", ``, ref)
			if want := `"` + string(state.supply().appendTo(nil)) + `"`; supply.text() != want {
				t.Errorf("%s has a supply of %s, want %s", token, supply.text(), want)
			}
		}
		var metadata struct {
			Spec     string `json:"spec"`
			Symbol   string `json:"symbol"`
			Decimals int    `json:"decimals"`
		}
		text := callAt(t, d, token, "ft_metadata", ``, `"finality":"final"`).text()
		if err := json.Unmarshal([]byte(text), &metadata); err != nil || metadata.Spec != "ft-1.0.0" || metadata.Decimals != 24 {
			t.Errorf("%s: metadata %s, %v", token, text, err)
		}
	}
	if got := callAt(t, d, "token.near", "ft_balance_of", `{"account_id":"nobody.near"}`, `"finality":"final"`); got.text() != `"0"` {
		t.Errorf("nobody has %s", got.text())
	}
}

func TestAContractLogs(t *testing.T) {
	d, _ := standing3(t)
	got := callAt(t, d, "burner.near", "log", `{"n":2}`, `"finality":"final"`)
	if fmt.Sprint(got.Logs) != "[line 0 line 1]" || len(got.Result) != 0 || got.Error != "" {
		t.Errorf("%+v", got)
	}
}

func TestTheOldFormCallsToo(t *testing.T) {
	d, _ := standing3(t)
	var got called
	args := appendBase58(nil, []byte(`{"account_id":"user1.near"}`))
	result(t, d, "query", fmt.Sprintf(`["call/token.near/ft_balance_of",%q]`, args), &got)
	want := callAt(t, d, "token.near", "ft_balance_of", `{"account_id":"user1.near"}`, `"finality":"optimistic"`)
	if got.text() != want.text() || got.text() == "" {
		t.Errorf("by path %s, by name %s", got.text(), want.text())
	}
}

func TestTheOldFormFiltersState(t *testing.T) {
	d, _ := standing3(t)
	var got viewedState
	result(t, d, "query", fmt.Sprintf(`["contract/wrap.near",%q]`, appendBase58(nil, []byte("buser1"))), &got)
	if len(got.Values) != 1 || string(got.Values[0].Key) != "buser1.near" {
		t.Errorf("%+v", got)
	}
}

func TestGasOfAViewIsBounded(t *testing.T) {
	d, _ := nodeStanding(t, `{"max_gas_burnt_view": 3000000000000}`)
	if got := callAt(t, d, "burner.near", "burn", `{"n":1000}`, `"finality":"final"`); got.Error != "" {
		t.Errorf("a thousand rounds: %+v", got)
	}
	if got := callAt(t, d, "burner.near", "burn", `{"n":10000000}`, `"finality":"final"`); got.Error != "wasm execution failed with error: HostError(GasLimitExceeded)" {
		t.Errorf("ten million rounds: %+v", got)
	}
}

func TestStateThatIsTooLarge(t *testing.T) {
	const view = `{"request_type":"view_state","account_id":"wrap.near","prefix_base64":"cw==","finality":"optimistic"}`
	d, _ := standing3(t)
	size := d.ledger.stateOf(d.ledger.at(wrapIndex)).bytes() + 182
	for limit, fits := range map[string]bool{
		fmt.Sprint(size):     true,
		fmt.Sprint(size - 1): false,
		"0":                  false,
		"null":               true,
	} {
		d, _ := nodeStanding(t, `{"trie_viewer_state_size_limit": `+limit+`, "volley": {"seed": 5, "accounts": 10}}`)
		got := ask(t, d, "query", view)
		if !fits {
			head := d.chain.at(startHead)
			want := handler("TOO_LARGE_CONTRACT_STATE", `{`+head.read+`,"contract_account_id":"wrap.near"}`, `"State of contract wrap.near is too large to be viewed"`)
			if got.body != want {
				t.Errorf("limit %s: %s, want %s", limit, got.body, want)
			}
		} else if !strings.Contains(got.body, `"values":[{"key":"cw=="`) {
			t.Errorf("limit %s: %s", limit, got.body)
		}
	}
}

// By default nearcore's 50,000 bytes hold a small token's state, not that of
// one with ten thousand holders.
func TestWhichStatesCanBeViewed(t *testing.T) {
	d, _ := nodeStanding(t, `{}`)
	for id, fits := range map[string]bool{"token.near": false, "wrap.near": true, "shared.near": true, "burner.near": true, "user0.near": true} {
		got := ask(t, d, "query", fmt.Sprintf(`{"request_type":"view_state","account_id":%q,"prefix_base64":"","finality":"final"}`, id))
		if strings.Contains(got.body, `"values":`) != fits || strings.Contains(got.body, "TOO_LARGE_CONTRACT_STATE") == fits {
			t.Errorf("%s: %.200s", id, got.body)
		}
	}
}

func TestCodeIsTheAccountsOrAGlobalOne(t *testing.T) {
	d, _ := standing3(t)
	token := d.ledger.codes[fungible]
	type code struct {
		Code []byte `json:"code_base64"`
		Hash string `json:"hash"`
	}
	for _, params := range []string{
		`{"request_type":"view_code","account_id":"token.near","finality":"final"}`,
		`{"request_type":"view_code","account_id":"shared.near","finality":"final"}`,
		`{"request_type":"view_code","account_id":"linked.near","finality":"final"}`,
		`{"request_type":"view_global_contract_code","code_hash":"` + token.hash + `","finality":"final"}`,
		`{"request_type":"view_global_contract_code_by_account_id","account_id":"global.near","finality":"final"}`,
		`["code/token.near",""]`,
	} {
		var got code
		result(t, d, "query", params, &got)
		if string(got.Code) != string(token.wasm) || got.Hash != token.hash {
			t.Errorf("%s: %d bytes of hash %s", params, len(got.Code), got.Hash)
		}
	}
	for id, want := range map[string]string{
		"token.near":  `,"code_hash":"` + token.hash + `","locked"`,
		"burner.near": `,"code_hash":"` + d.ledger.codes[burner].hash + `","locked"`,
		"shared.near": `,"code_hash":"11111111111111111111111111111111","global_contract_hash":"` + token.hash + `","locked"`,
		"linked.near": `,"code_hash":"11111111111111111111111111111111","global_contract_account_id":"global.near","locked"`,
		"global.near": `,"code_hash":"11111111111111111111111111111111","locked"`,
	} {
		if got := ask(t, d, "query", `["account/`+id+`",""]`); !strings.Contains(got.body, want) {
			t.Errorf("%s: %s, want %s", id, got.body, want)
		}
	}
}

func TestStructuredMethods(t *testing.T) {
	d, _ := standing3(t)
	head, gone := d.chain.at(startHead), d.chain.at(startHead-201)
	gas := d.ledger.keyring(namedAccounts + 6)
	var gasKey string
	for _, k := range gas.keys {
		if k.permission.gasKey {
			gasKey = k.public
		}
	}
	for _, name := range []string{"view_account", "view_code", "view_state", "view_access_key", "view_access_key_list", "view_gas_key_nonces", "call_function"} {
		const fields = `"account_id":"ACCOUNT","prefix_base64":"","public_key":"KEY","method_name":"ft_total_supply","args_base64":"","finality":"final"`
		account, key := "token.near", d.ledger.key(tokenIndex)
		if name == "view_gas_key_nonces" {
			account, key = "user6.near", gasKey
		}
		params := strings.NewReplacer("ACCOUNT", account, "KEY", key).Replace(fields)
		query := ask(t, d, "query", `{"request_type":"`+name+`",`+params+`}`)
		got := ask(t, d, "EXPERIMENTAL_"+name, `{`+params+`}`)
		if want := (exchange{"EXPERIMENTAL_" + name, 200, query.body}); got != want || query.status != 200 {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
	const someKey = "ed25519:11111111111111111111111111111111"
	for _, c := range []struct {
		name, method, params string
		status               int
		want                 string
	}{
		{"unknown account", "EXPERIMENTAL_view_account", `{"account_id":"x.near","finality":"optimistic"}`, 200,
			handler("UNKNOWN_ACCOUNT", `{`+head.read+`,"requested_account_id":"x.near"}`, `"account x.near does not exist while viewing"`)},
		{"unknown access key", "EXPERIMENTAL_view_access_key", `{"account_id":"near","public_key":"` + someKey + `","finality":"optimistic"}`, 200,
			handler("UNKNOWN_ACCESS_KEY", `{`+head.read+`,"public_key":"`+someKey+`"}`, `"Access key for public key `+someKey+` has never been observed on the node"`)},
		{"no code", "EXPERIMENTAL_view_code", `{"account_id":"near","finality":"optimistic"}`, 200,
			handler("NO_CONTRACT_CODE", `{`+head.read+`,"contract_account_id":"near"}`, `"Contract code for contract ID #near has never been observed on the node"`)},
		{"a contract that panics", "EXPERIMENTAL_call_function", `{"account_id":"burner.near","method_name":"fail","args_base64":"","finality":"optimistic"}`, 200,
			handler("CONTRACT_EXECUTION_ERROR", `{`+head.read+`,"error":{"ExecutionError":"Smart contract panicked: the contract was asked to fail"},`+
				`"vm_error":"wasm execution failed with error: HostError(GuestPanic { panic_msg: \"the contract was asked to fail\" })"}`,
				`"Function call returned an error: wasm execution failed with error: HostError(GuestPanic { panic_msg: \"the contract was asked to fail\" })"`)},
		{"a method that is none", "EXPERIMENTAL_call_function", `{"account_id":"burner.near","method_name":"x","args_base64":"","finality":"optimistic"}`, 200,
			handler("CONTRACT_EXECUTION_ERROR", `{`+head.read+`,"error":{"MethodResolveError":"MethodNotFound"},`+
				`"vm_error":"wasm execution failed with error: MethodResolveError(MethodNotFound)"}`,
				`"Function call returned an error: wasm execution failed with error: MethodResolveError(MethodNotFound)"`)},
		{"a collected block", "EXPERIMENTAL_view_account", fmt.Sprintf(`{"account_id":"near","block_id":%d}`, gone.height), 500,
			internal("The data for block #1299799 is garbage collected on this node, use an archival node to fetch historical data")},
		{"a passed block that never was", "EXPERIMENTAL_view_account", `{"account_id":"near","block_id":5}`, 422,
			handler("UNKNOWN_BLOCK", `{"block_reference":{"block_id":5}}`, `"DB Not Found Error: BLOCK HEIGHT: 5 \n Cause: Unknown"`)},
		{"no reference", "EXPERIMENTAL_view_account", `{"account_id":"near"}`, 400, failedArgs("no variant of enum BlockReference found in flattened data")},
		{"no account", "EXPERIMENTAL_view_account", `{"finality":"final"}`, 400, failedArgs("missing field `account_id`")},
		{"a path", "EXPERIMENTAL_view_account", `["account/near",""]`, 400, failedArgs("invalid type: sequence, expected a map")},
		{"no params", "EXPERIMENTAL_view_state", ``, 400, failedArgs("invalid type: null, expected a map")},
	} {
		if got := ask(t, d, c.method, c.params); got != (exchange{c.method, c.status, c.want}) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, exchange{c.method, c.status, c.want})
		}
	}
}

func internal(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"name":"INTERNAL_ERROR","cause":{"info":{"error_message":` + string(quoted) + `},"name":"INTERNAL_ERROR"},"code":-32000,` +
		`"message":"Server error","data":"The node reached its limits. Try again later. More details: ` + string(quoted[1:]) + `}`
}
