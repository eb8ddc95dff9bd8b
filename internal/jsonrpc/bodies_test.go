package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// conversations are bodies as they go over the wire in both directions, well
// formed or not; every fuzz test starts from them.
var conversations = []string{
	``, ` `, `[]`, `{}`, `[[]]`, `null`, `[1,2,3]`, `"x"`, `0`, `-`, `[1,]`, `{"a":1,}`, `[1 2]`, `{"a" 1}`,
	"\ufeff[]", "[\"\xff\"]", "[\"\xed\xa0\x80\"]", `["\ud800","\ud83d\ude00","\ud83dx"]`, "[\"a\tb\"]", `[01]`, `[1.]`, `[.5]`, `[1e]`, `[tru]`, `[nul`,
	`{"jsonrpc":"2.0","id":1,"method":"status","params":[]}`,
	`{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}`,
	`{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`,
	`[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"`,
	`[{"foo": "boo"}]`,
	`[[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"nonce":1}}],[],{"jsonrpc":"2.0","id":{"a":1},"method":"ping"},{"jsonrpc":"2.0","id":[1],"method":"ping"},{"jsonrpc":"2.0","id":true,"method":7}]`,
	`[null,"a",true,{"jsonrpc":"2.0","method":"notifications/cancel","params":{"id":9}},{"jsonrpc":"2.0","id":4,"method":"query","params":["account/near",""]}]`,
	`{"jsonrpc":"2.0","id":1,"method":"embed","params":{"inputs":["a b","c","d\u00e9"]}}`,
	"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"embed\",\"params\":{\"inputs\":[\"naïve – 文\"]}}]",
	`[{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"y","n":[1]}},{"jsonrpc":"2.0","id":"two","method":"a","params":[]},{"jsonrpc":"2.0","id":3,"method":"b","params":{}},` +
		`{"jsonrpc":"2.0","id":4,"method":"b","params":{},"id":5},{"jsonrpc":"2.0","id":{},"method":"b","params":{} },{"jsonrpc":"2.0","id":7,"method":"b","params":"\u0061"},{"jsonrpc":"2.0","id":8,"method":"b"}]`,
	`[{"error":1,"\u0069d":1,"id":2,"params":0,"params":1},{"error":1,"\u0069d":1,"id":3,"params":0,"params":{"a":"b" , "c":1,"d":"e","f":null}},{"error":1,"\u0069d":1,"id":3,"params":0,"params":{"a":"b","c"}}]`,
	`[{"jsonrpc":"2.0","id":0,"method":"q","params":{"t":"v","a":"user1","f":"x"}},{"jsonrpc":"2.0","id":1,"method":"q","params":{"t":"v","a":"user22","f":"x"}},{"jsonrpc":"2.0","id":2,"method":"q","params":{"t":"v","a":"","f":"x"}},{"jsonrpc":"2.0","id":3,"method":"q","params":{"t":"v","a":"us\u0065r","f":"x"}},{"jsonrpc":"2.0","id":4,"method":"q","params":{"t":"v","a":"user3","f":"y"}},{"jsonrpc":"2.0","id":5,"method":"q","params":{"t":"v","a":"user4","f":"x","g":[1]}},{"jsonrpc":"2.0","id":6,"method":"q","params":{"t":"v","a":5,"f":"x"}},{"jsonrpc":"2.0","id":7,"method":"q","params":{"t":"v","a":"é" ,"f":"x"}},{"jsonrpc":"2.0","id":8,"method":"q","params":{"t":"v","a":"b"}}]`,
	`[{"jsonrpc":"2.0","id":0,"method":"q","params":{"t":"v","a":"user1","f":"x"}},{"jsonrpc":"2.0","id":1,"method":"q","params":{"t":"v","a":"user22","f":"x"}},{"jsonrpc":"2.0","id":2,"method":"q","params":{"t":"v","a":"","f":"x"}},{"jsonrpc":"2.0","id":3,"method":"q","params":{"t":"v","a":"\x","f":"x"}}]`,
	`[{"jsonrpc":"2.0","id":0,"method":"q","params":{"t":"v","a":"user1","f":"x"}},{"jsonrpc":"2.0","id":1,"method":"q","params":{"t":"v","a":"user22","f":"x"}},{"jsonrpc":"2.0","id":2,"method":"q","params":{"t":"v","a":"","f":"x"}},{"jsonrpc":"2.0","id":3,"method":"q","params":{"t":"v","a":"user`,
	`[]x`, `nope`, `{"jsonrpc":"2.0","id":1,"method":"status"} {}`,
	`[{"jsonrpc":"2.0","id":"test.near","method":"query","params":{"request_type":"view_account","account_id":"test.near","finality":"final"}},` +
		`{"jsonrpc":"2.0","method":"query","params":{"request_type":"call_function","account_id":"token.near","method_name":"ft_balance_of","args_base64":"eyJhY2NvdW50X2lkIjoiYm9iLm5lYXIifQ==","finality":"final"}}]`,
	`[{"\u0069d":9007199254740993,"jsonrpc":"2.0","m\u0065thod":"qu\u0065ry","params":{}},{"id":1.50,"id":2,"method":5},{"id":null,"method":"a","extra":{"id":[{}]}}]`,
	`[{"jsonrpc":"2.0","result":{"amount":"10","locked":"0","code_hash":"11111111111111111111111111111111","storage_usage":182,"block_height":17,"block_hash":"EczErquQLMpUvTQpKupoQp5yNkmNbniMSHq1gVvhAf84"},"id":"near"},` +
		`{"jsonrpc":"2.0","error":{"name":"REQUEST_VALIDATION_ERROR","cause":{"info":{"method_name":"nope"},"name":"METHOD_NOT_FOUND"},"code":-32601,"message":"Method not found","data":"nope"},"id":2}]`,
	`{"jsonrpc":"2.0","result":{"block_height":17,"block_hash":"Ecz","error":"wasm execution failed with error: \"MethodNotFound\"","logs":[]},"id":7}`,
	`{"result":null,"error":null,"id":18446744073709551615}`,
	`{"result":{"error":null},"error":{"code":-3.2e4,"message":"x"},"id":18446744073709551616}`,
	`[{"result":1,"error":{"code":1,"message":"both"},"id":"a"},{"error":"text","id":"b"},{"error":{"code":1.5},"id":"c"},{"id":"d"},7,{"result":null,"error":{"code":5.0,"message":"m"},"id":-1}]`,
	`{"jsonrpc":"2.0","id":1,"result":{"embeddings":[[0.0123,-1.5e-7],[1E+2,0]],"model":"m","usage":{"tokens":12}}}`,
}

// seeds adds the conversations and some that nest past what one word holds.
func seeds(f *testing.F) {
	for _, body := range conversations {
		f.Add([]byte(body))
	}
	for _, depth := range []int{64, 65, 129} {
		f.Add(nested(depth))
	}
	f.Add(replyOf(3))
}

// nested is depth containers in one another, alternately arrays and objects.
func nested(depth int) []byte {
	var open, end []byte
	for i := range depth {
		if i%3 == 0 {
			open, end = append(open, `{"a":`...), append(end, '}')
		} else {
			open, end = append(open, '['), append(end, ']')
		}
	}
	end = append(end, '1')
	for i, j := 0, len(end)-1; i < j; i, j = i+1, j-1 {
		end[i], end[j] = end[j], end[i]
	}
	return append(open, end...)
}

// requestOf is a batch of n queries, of about 170 bytes each.
func requestOf(n int) []byte {
	return array(n, func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"query","params":{"request_type":"view_account","account_id":"user%04d.near","block_id":"EczErquQLMpUvTQpKupoQp5yNkmNbniMSHq1gVvhAf84"}}`, i, i)
	})
}

// replyOf is a reply of n results, of about 85 bytes each.
func replyOf(n int) []byte {
	return array(n, func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","result":{"amount":"1000000","block_height":17,"logs":[]},"id":%d}`, 1000+i)
	})
}

func array(n int, element func(i int) string) []byte {
	var b bytes.Buffer
	for i := range n {
		b.WriteByte("[,"[min(i, 1)])
		b.WriteString(element(i))
	}
	return append(b.Bytes(), ']')
}

// objectOf decodes an object the plain way: the last of equal names counts.
func objectOf(raw []byte) (members map[string]json.RawMessage, ok bool) {
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, false
	}
	return members, true
}
