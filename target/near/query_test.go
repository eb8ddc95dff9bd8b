package near

import (
	"fmt"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
)

func TestQueryErrors(t *testing.T) {
	d, _ := standing3(t)
	head, gone := d.chain.at(startHead), d.chain.at(startHead-201)
	at := func(b *block, rest string) string {
		return fmt.Sprintf(`{"block_hash":"%s","block_height":%d%s}`, b.hash, b.height, rest)
	}
	unseen := strings.Repeat("2", 44)
	const someKey = "ed25519:11111111111111111111111111111111"
	for _, c := range []struct {
		name, params, label string
		status              int
		want                string
	}{
		{"unknown block by height", `{"request_type":"view_account","account_id":"near","block_id":1300001}`, "query_view_account", 200,
			handler("UNKNOWN_BLOCK", `{"block_reference":{"block_id":1300001}}`, `"DB Not Found Error: BLOCK HEIGHT: 1300001 \n Cause: Unknown"`)},
		{"unknown block below the head", `{"request_type":"view_account","account_id":"near","block_id":5}`, "query_view_account", 422,
			handler("UNKNOWN_BLOCK", `{"block_reference":{"block_id":5}}`, `"DB Not Found Error: BLOCK HEIGHT: 5 \n Cause: Unknown"`)},
		{"unknown block by hash", `{"request_type":"view_account","account_id":"near","block_id":"` + unseen + `"}`, "query_view_account", 200,
			handler("UNKNOWN_BLOCK", `{"block_reference":{"block_id":"`+unseen+`"}}`, `"DB Not Found Error: BLOCK HEADER: `+unseen+`"`)},
		{"garbage-collected block by height", `{"request_type":"view_account","account_id":"near","block_id":1299799}`, "query_view_account", 200,
			handler("GARBAGE_COLLECTED_BLOCK", at(gone, ""), `"The data for block #1299799 is garbage collected on this node, use an archival node to fetch historical data"`)},
		{"garbage-collected block by hash", `{"request_type":"view_state","account_id":"near","prefix_base64":"","block_id":"` + gone.hash + `"}`, "query_view_state", 200,
			handler("GARBAGE_COLLECTED_BLOCK", at(gone, ""), `"The data for block #1299799 is garbage collected on this node, use an archival node to fetch historical data"`)},
		{"invalid account", `{"request_type":"view_account","account_id":"a..b \"é","finality":"optimistic"}`, "query_view_account", 200,
			handler("INVALID_ACCOUNT", at(head, `,"requested_account_id":"a..b \"é"`), `"Account ID a..b \"é is invalid"`)},
		{"unknown account", `{"request_type":"view_account","account_id":"x.near","finality":"optimistic"}`, "query_view_account", 200,
			handler("UNKNOWN_ACCOUNT", at(head, `,"requested_account_id":"x.near"`), `"account x.near does not exist while viewing"`)},
		{"unknown account's state", `{"request_type":"view_state","account_id":"x.near","prefix_base64":"","finality":"optimistic"}`, "query_view_state", 200,
			handler("UNKNOWN_ACCOUNT", at(head, `,"requested_account_id":"x.near"`), `"account x.near does not exist while viewing"`)},
		{"unknown account's contract", `{"request_type":"call_function","account_id":"x.near","method_name":"m","args_base64":"e30=","finality":"optimistic"}`, "query_call_function", 200,
			handler("UNKNOWN_ACCOUNT", at(head, `,"requested_account_id":"x.near"`), `"account x.near does not exist while viewing"`)},
		{"no contract code", `{"request_type":"view_code","account_id":"near","finality":"optimistic"}`, "query_view_code", 200,
			handler("NO_CONTRACT_CODE", at(head, `,"contract_account_id":"near"`), `"Contract code for contract ID #near has never been observed on the node"`)},

		{"no contract code in a global contract's place", `{"request_type":"view_code","account_id":"global.near","finality":"optimistic"}`, "query_view_code", 200,
			handler("NO_CONTRACT_CODE", at(head, `,"contract_account_id":"global.near"`), `"Contract code for contract ID #global.near has never been observed on the node"`)},
		{"unknown global contract by hash", `{"request_type":"view_global_contract_code","code_hash":"` + d.ledger.codes[burner].hash + `","finality":"optimistic"}`, "query_view_global_contract_code", 200,
			handler("NO_GLOBAL_CONTRACT_CODE", at(head, `,"identifier":{"hash":"`+d.ledger.codes[burner].hash+`"}`),
				`"Global contract code with identifier CodeHash(`+d.ledger.codes[burner].hash+`) has never been observed on the node"`)},
		{"unknown global contract by account", `{"request_type":"view_global_contract_code_by_account_id","account_id":"token.near","finality":"optimistic"}`, "query_view_global_contract_code_by_account_id", 200,
			handler("NO_GLOBAL_CONTRACT_CODE", at(head, `,"identifier":{"account_id":"token.near"}`),
				`"Global contract code with identifier AccountId(AccountId(\"token.near\")) has never been observed on the node"`)},
		{"a global contract of no account id", `{"request_type":"view_global_contract_code_by_account_id","account_id":"a..b","finality":"optimistic"}`, "query_view_global_contract_code_by_account_id", 200,
			handler("INVALID_ACCOUNT", at(head, `,"requested_account_id":"a..b"`), `"Account ID a..b is invalid"`)},
		{"unknown gas key", `{"request_type":"view_gas_key_nonces","account_id":"user6.near","public_key":"` + someKey + `","finality":"optimistic"}`, "query_view_gas_key_nonces", 200,
			handler("UNKNOWN_GAS_KEY", at(head, `,"public_key":"`+someKey+`"`), `"Gas key for public key `+someKey+` does not exist while viewing"`)},
		{"a key that is no gas key", `{"request_type":"view_gas_key_nonces","account_id":"user6.near","public_key":"` + d.ledger.key(namedAccounts+6) + `","finality":"optimistic"}`, "query_view_gas_key_nonces", 200,
			handler("UNKNOWN_GAS_KEY", at(head, `,"public_key":"`+d.ledger.key(namedAccounts+6)+`"`), `"Gas key for public key `+d.ledger.key(namedAccounts+6)+` does not exist while viewing"`)},
		{"an unknown account's gas key", `{"request_type":"view_gas_key_nonces","account_id":"x.near","public_key":"` + someKey + `","finality":"optimistic"}`, "query_view_gas_key_nonces", 200,
			handler("UNKNOWN_GAS_KEY", at(head, `,"public_key":"`+someKey+`"`), `"Gas key for public key `+someKey+` does not exist while viewing"`)},
		{"a method that the contract has not", `{"request_type":"call_function","account_id":"token.near","method_name":"nope","args_base64":"","finality":"optimistic"}`, "query_call_function", 200,
			at(head, `,"error":"wasm execution failed with error: MethodResolveError(MethodNotFound)","logs":[]`)},
		{"a contract that panics", `{"request_type":"call_function","account_id":"burner.near","method_name":"fail","args_base64":"","finality":"optimistic"}`, "query_call_function", 200,
			at(head, `,"error":"wasm execution failed with error: HostError(GuestPanic { panic_msg: \"the contract was asked to fail\" })","logs":[]`)},
		{"a contract that would change its state", `{"request_type":"call_function","account_id":"burner.near","method_name":"write","args_base64":"","finality":"optimistic"}`, "query_call_function", 200,
			at(head, `,"error":"wasm execution failed with error: HostError(ProhibitedInView { method_name: \"storage_write\" })","logs":[]`)},

		{"unknown access key is a result", `{"request_type":"view_access_key","account_id":"near","public_key":"` + someKey + `","finality":"optimistic"}`, "query_view_access_key", 200,
			at(head, `,"error":"access key `+someKey+` does not exist while viewing","logs":[]`)},
		{"so is an unknown account's", `{"request_type":"view_access_key","account_id":"x.near","public_key":"11111111111111111111111111111111","finality":"optimistic"}`, "query_view_access_key", 200,
			at(head, `,"error":"access key `+someKey+` does not exist while viewing","logs":[]`)},
		{"a call without a contract is a result", `{"request_type":"call_function","account_id":"near","method_name":"m","args_base64":"","finality":"optimistic"}`, "query_call_function", 200,
			at(head, `,"error":"wasm execution failed with error: CompilationError(CodeDoesNotExist { account_id: AccountId(\"near\") })","logs":[]`)},

		{"no params", ``, "query", 400, failedArgs("invalid type: null, expected struct RpcQueryRequest")},
		{"null params", `null`, "query", 400, failedArgs("invalid type: null, expected struct RpcQueryRequest")},
		{"no block reference", `{"request_type":"view_account","account_id":"near"}`, "query", 400,
			failedArgs("no variant of enum BlockReference found in flattened data")},
		{"a path and data by name", `{"path":"account/near","data":"","finality":"final"}`, "query", 400, failedArgs("missing field `request_type`")},
		{"no account", `{"request_type":"view_account","finality":"final"}`, "query", 400, failedArgs("missing field `account_id`")},
		{"account of a wrong type", `{"request_type":"view_account","account_id":5,"finality":"final"}`, "query", 400,
			failedArgs("invalid type: integer `5`, expected a string")},
		{"unknown request type", `{"request_type":"view_gas_key","account_id":"near","finality":"final"}`, "query", 400,
			failedArgs("unknown variant `view_gas_key`, expected one of `view_account`, `view_code`, `view_state`, `view_access_key`, `view_access_key_list`, " +
				"`view_gas_key_nonces`, `call_function`, `view_global_contract_code`, `view_global_contract_code_by_account_id`")},
		{"no request type", `{"request_type":"","account_id":"near","finality":"final"}`, "query", 400,
			failedArgs("unknown variant ``, expected one of `view_account`, `view_code`, `view_state`, `view_access_key`, `view_access_key_list`, " +
				"`view_gas_key_nonces`, `call_function`, `view_global_contract_code`, `view_global_contract_code_by_account_id`")},
		{"unknown finality", `{"request_type":"view_account","account_id":"near","finality":"Final"}`, "query", 400,
			failedArgs("unknown variant `Final`, expected one of `optimistic`, `near-final`, `final`")},
		{"finality of a wrong type", `{"request_type":"view_account","account_id":"near","finality":{}}`, "query", 400,
			failedArgs("invalid type: map, expected string")},
		{"unknown checkpoint", `{"request_type":"view_account","account_id":"near","sync_checkpoint":"latest"}`, "query", 400,
			failedArgs("unknown variant `latest`, expected one of `genesis`, `earliest_available`")},
		{"negative height", `{"request_type":"view_account","account_id":"near","block_id":-1}`, "query", 400,
			failedArgs("data did not match any variant of untagged enum BlockId")},
		{"fractional height", `{"request_type":"view_account","account_id":"near","block_id":1.0}`, "query", 400,
			failedArgs("data did not match any variant of untagged enum BlockId")},
		{"short hash", `{"request_type":"view_account","account_id":"near","block_id":"2222"}`, "query", 400,
			failedArgs("data did not match any variant of untagged enum BlockId")},
		{"no base58", `{"request_type":"view_account","account_id":"near","block_id":"0OIl"}`, "query", 400,
			failedArgs("data did not match any variant of untagged enum BlockId")},
		{"no key", `{"request_type":"view_access_key","account_id":"near","finality":"final"}`, "query", 400, failedArgs("missing field `public_key`")},
		{"key of a strange curve", `{"request_type":"view_access_key","account_id":"near","public_key":"rsa:11","finality":"final"}`, "query", 400,
			failedArgs("unknown key type 'rsa'")},
		{"short key", `{"request_type":"view_access_key","account_id":"near","public_key":"ed25519:11","finality":"final"}`, "query", 400,
			failedArgs("invalid key length: expected the input of 32 bytes, but 2 was given")},
		{"no method", `{"request_type":"call_function","account_id":"near","args_base64":"","finality":"final"}`, "query", 400, failedArgs("missing field `method_name`")},
		{"args that are no base64", `{"request_type":"call_function","account_id":"near","method_name":"m","args_base64":"{}","finality":"final"}`, "query", 400,
			failedArgs("args_base64: illegal base64 data at input byte 0")},
		{"no code hash", `{"request_type":"view_global_contract_code","finality":"final"}`, "query", 400, failedArgs("missing field `code_hash`")},
		{"short code hash", `{"request_type":"view_global_contract_code","code_hash":"22","finality":"final"}`, "query", 400,
			failedArgs("code_hash: invalid value: a hash of 32 bytes in base58 was expected")},
		{"no gas key", `{"request_type":"view_gas_key_nonces","account_id":"near","finality":"final"}`, "query", 400, failedArgs("missing field `public_key`")},
		{"no account of a global contract", `{"request_type":"view_global_contract_code_by_account_id","finality":"final"}`, "query", 400, failedArgs("missing field `account_id`")},
		{"no prefix", `{"request_type":"view_state","account_id":"near","finality":"final"}`, "query", 400, failedArgs("missing field `prefix_base64`")},
		{"proof neither asked for nor not", `{"request_type":"view_state","account_id":"near","prefix_base64":"","include_proof":1,"finality":"final"}`, "query", 400,
			failedArgs("invalid type: integer `1`, expected a boolean")},

		{"path without an account", `["account",""]`, "query", 400, validation("Not enough query parameters provided")},
		{"unknown path", `["balance/near",""]`, "query", 400, validation("Unknown path balance")},
		{"path of a call without a method", `["call/near",""]`, "query", 400, validation("Method name is missing")},
		{"path with an invalid key", `["access_key/near/ed25519:zz",""]`, "query", 400, validation("Invalid public key")},
		{"path with data that is no base58", `["contract/near","0"]`, "query", 400, validation("provided string contained invalid character '0' at byte 0")},
		{"path with too much data", `["contract/near","` + strings.Repeat("1", 10*1024-len("contract/near")+1) + `"]`, "query", 400, validation("Query data size is too large")},
		{"path with much too much data", `["call/near/m","` + strings.Repeat("z", 1<<20) + `"]`, "query", 400, validation("Query data size is too large")},
		{"path of an unknown account", `["account/x.near",""]`, "query_view_account", 200,
			handler("UNKNOWN_ACCOUNT", at(head, `,"requested_account_id":"x.near"`), `"account x.near does not exist while viewing"`)},
		{"one position", `["account/near"]`, "query", 400, failedArgs("invalid type: sequence, expected struct RpcQueryRequest")},
		{"three positions", `["account/near","",""]`, "query", 400, failedArgs("invalid type: sequence, expected struct RpcQueryRequest")},
		{"positions of a wrong type", `["account/near",0]`, "query", 400, failedArgs("invalid type: sequence, expected struct RpcQueryRequest")},
		{"no positions", `[]`, "query", 400, failedArgs("invalid type: sequence, expected struct RpcQueryRequest")},
	} {
		if got := ask(t, d, "query", c.params); got != (exchange{c.label, c.status, c.want}) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, exchange{c.label, c.status, c.want})
		}
	}
}

func TestQueryResults(t *testing.T) {
	d, _ := standing3(t)
	near, _ := d.ledger.find([]byte("near"))
	user, _ := d.ledger.find([]byte("user3.near"))
	key := d.ledger.key(user.index)
	at := func(height uint64, before, after string) string {
		return fmt.Sprintf(`{%s"block_hash":"%s","block_height":%d%s}`, before, d.chain.at(height).hash, height, after)
	}
	account := func(a account, height uint64) string {
		return at(height, `"amount":"`+string(a.amount(height).appendTo(nil))+`",`,
			`,"code_hash":"11111111111111111111111111111111","locked":"0","storage_paid_at":0,"storage_usage":182`)
	}
	accessKey := func(height uint64) string {
		return at(height, "", fmt.Sprintf(`,"nonce":%d,"permission":"FullAccess"`, user.nonce(height)))
	}
	for _, c := range []struct{ name, params, label, want string }{
		{"optimistic", `{"request_type":"view_account","account_id":"near","finality":"optimistic"}`, "query_view_account", account(near, startHead)},
		{"near-final", `{"request_type":"view_account","account_id":"near","finality":"near-final"}`, "query_view_account", account(near, startHead-1)},
		{"final", `{"request_type":"view_account","account_id":"near","finality":"final"}`, "query_view_account", account(near, startHead-2)},
		{"height", `{"request_type":"view_account","account_id":"near","block_id":1299900}`, "query_view_account", account(near, 1299900)},
		{"hash", `{"request_type":"view_account","account_id":"near","block_id":"` + d.chain.at(1299901).hash + `"}`, "query_view_account", account(near, 1299901)},
		{"earliest", `{"request_type":"view_account","account_id":"near","sync_checkpoint":"earliest_available"}`, "query_view_account", account(near, 1299800)},
		{"block_id before finality", `{"finality":"final","request_type":"view_account","account_id":"near","block_id":1299900}`, "query_view_account", account(near, 1299900)},
		{"the last of two members", `{"request_type":"view_code","account_id":"near","finality":"final","request_type":"view_account"}`, "query_view_account", account(near, startHead-2)},
		{"members unknown to it", `{"request_type":"view_account","account_id":"near","finality":"final","x":[{"finality":1}]}`, "query_view_account", account(near, startHead-2)},
		{"escapes", `{"request\u005ftype":"view\u005Faccount","account_id":"ne\u0061r","finality":"fin\u0061l"}`, "query_view_account", account(near, startHead-2)},
		{"white space", " {\n\"request_type\" :\t\"view_account\" , \"account_id\":\"near\",\"finality\": \"final\" } ", "query_view_account", account(near, startHead-2)},
		{"path", `["account/near",""]`, "query_view_account", account(near, startHead)},

		{"access key", `{"request_type":"view_access_key","account_id":"user3.near","public_key":"` + key + `","finality":"final"}`, "query_view_access_key", accessKey(startHead - 2)},
		{"access key without its curve", `{"request_type":"view_access_key","account_id":"user3.near","public_key":"` + strings.TrimPrefix(key, "ed25519:") + `","finality":"final"}`, "query_view_access_key", accessKey(startHead - 2)},
		{"access key by path", `["access_key/user3.near/` + key + `",""]`, "query_view_access_key", accessKey(startHead)},
		{"access keys", `{"request_type":"view_access_key_list","account_id":"user3.near","finality":"final"}`, "query_view_access_key_list",
			at(startHead-2, "", fmt.Sprintf(`,"keys":[{"access_key":{"nonce":%d,"permission":"FullAccess"},"public_key":"%s"}]`, user.nonce(startHead-2), key))},
		{"access keys by path", `["access_key/user3.near",""]`, "query_view_access_key_list",
			at(startHead, "", fmt.Sprintf(`,"keys":[{"access_key":{"nonce":%d,"permission":"FullAccess"},"public_key":"%s"}]`, user.nonce(startHead), key))},
		{"an unknown account's access keys", `{"request_type":"view_access_key_list","account_id":"x.near","finality":"final"}`, "query_view_access_key_list",
			at(startHead-2, "", `,"keys":[]`)},
		{"state", `{"request_type":"view_state","account_id":"near","prefix_base64":"U1RBVEU=","finality":"final"}`, "query_view_state", at(startHead-2, "", `,"values":[]`)},
		{"state with proof", `{"request_type":"view_state","account_id":"near","prefix_base64":"","include_proof":true,"finality":"final"}`, "query_view_state_with_proof", at(startHead-2, "", `,"values":[]`)},
		{"state by path", `["contract/near","2g"]`, "query_view_state", at(startHead, "", `,"values":[]`)},
		{"path with just enough data", `["contract/near","` + strings.Repeat("1", 10*1024-len("contract/near")) + `"]`, "query_view_state", at(startHead, "", `,"values":[]`)},
		{"data that no path reads", `["account/near","0OIl"]`, "query_view_account", account(near, startHead)},
	} {
		if got := ask(t, d, "query", c.params); got != (exchange{c.label, 200, c.want}) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, exchange{c.label, 200, c.want})
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		`{"request_type":"view_account","account_id":"near","finality":"final"}`,
		`{"request_type":"view_access_key","account_id":"a..b","public_key":"ed25519:1","block_id":"2"}`,
		`{"request_type":"call_function","account_id":"near","method_name":"\ud800","args_base64":"e30=","block_id":18446744073709551616}`,
		`{"request_type":"view_state","account_id":"near","prefix_base64":"","include_proof":true,"sync_checkpoint":"genesis"}`,
		`{"account_id":"burner.near","method_name":"fail","args_base64":"","finality":"final"}`,
		`{"tx_hash":"11111111111111111111111111111111","sender_account_id":"near","wait_until":"FINAL"}`,
		`{"block_id":1300000,"shard_id":0,"chunk_id":"1"}`, `[[1300000,0]]`, `{"epoch_id":"1"}`, `[null]`, `["AAAA"]`,
		`["access_key/near/ed25519:1","0"]`, `[["account/near"],{}]`, `null`, `[]`, `{}`, `"x"`,
	} {
		f.Add([]byte(seed))
	}
	d, _ := standing3(f)
	f.Fuzz(func(t *testing.T, params []byte) {
		if _, _, err := jsonrpc.Split(params, nil); err != nil {
			return // the engine lets no such thing through
		}
		for _, method := range []string{
			"query", "block", "chunk", "gas_price", "validators", "tx", "send_tx", "status",
			"EXPERIMENTAL_protocol_config", "EXPERIMENTAL_view_state", "EXPERIMENTAL_call_function",
		} {
			got := ask(t, d, method, string(params))
			if got.label == "" || got.status < 200 {
				t.Fatalf("%s %s: %+v", method, params, got)
			}
		}
	})
}
