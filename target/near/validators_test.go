package near

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestGasPrice(t *testing.T) {
	d, _ := standing3(t)
	const price = `{"gas_price":"100000000"}`
	for _, c := range []struct {
		params string
		status int
		want   string
	}{
		{`[null]`, 200, price},
		{`[1300000]`, 200, price},
		{`["` + d.chain.at(startHead).hash + `"]`, 200, price},
		{`{"block_id":null}`, 200, price},
		{`{}`, 200, price},
		{`{"block_id":1300000}`, 200, price},
		{`{"block_id":1300001}`, 200, handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 1300001 \n Cause: Unknown"`)},
		{`{"block_id":9}`, 422, handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 9 \n Cause: Unknown"`)},
		{`[9]`, 200, handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 9 \n Cause: Unknown"`)},
		{``, 400, failedArgs("invalid type: null, expected struct RpcGasPriceRequest")},
		{`[]`, 400, failedArgs("invalid type: sequence, expected struct RpcGasPriceRequest")},
		{`[true]`, 400, failedArgs("data did not match any variant of untagged enum BlockId")},
	} {
		if got := ask(t, d, "gas_price", c.params); got != (exchange{"gas_price", c.status, c.want}) {
			t.Errorf("%s:\n got %+v\nwant %d %s", c.params, got, c.status, c.want)
		}
	}
}

func TestValidatorsOfAnEpoch(t *testing.T) {
	d, clock := standing3(t) // the head starts epoch 3000
	clock.at = clock.at.Add(d.chain.time(startHead + 29).Sub(d.chain.time(startHead)))
	of := func(params string) (v epochView) {
		result(t, d, "validators", params, &v)
		return v
	}
	var block struct {
		Header struct {
			EpochID     string `json:"epoch_id"`
			NextEpochID string `json:"next_epoch_id"`
		} `json:"header"`
	}
	result(t, d, "block", `{"finality":"optimistic"}`, &block)
	for _, params := range []string{`[null]`, `{"latest":null}`, `{"epoch_id":"` + block.Header.EpochID + `"}`} {
		v := of(params)
		if v.EpochHeight != 3000 || v.EpochStartHeight != startHead || len(v.CurrentValidators) != 1 || v.CurrentValidators[0].NumProducedBlocks != 30 {
			t.Errorf("%s: %+v", params, v)
		}
	}
	for _, params := range []string{`[1299999]`, `{"block_id":1299999}`, `{"block_id":"` + d.chain.at(startHead-1).hash + `"}`} {
		v := of(params)
		if v.EpochHeight != 2999 || v.EpochStartHeight != startHead-100 || v.CurrentValidators[0].NumProducedBlocks != 100 ||
			v.CurrentValidators[0].Stake != "61996000000000000000000000000000" || v.NextValidators[0].Stake != "62000000000000000000000000000000" {
			t.Errorf("%s: %+v", params, v)
		}
	}
	unknown := handlerWithout("UNKNOWN_EPOCH", `"Unknown Epoch"`)
	for params, want := range map[string]exchange{
		`[1300000]`: {"validators", 200, handlerWithout("VALIDATOR_INFO_UNAVAILABLE", `"Validator info unavailable"`)},
		`[1300029]`: {"validators", 200, handlerWithout("VALIDATOR_INFO_UNAVAILABLE", `"Validator info unavailable"`)},
		`[1300030]`: {"validators", 200, unknown},
		`{"epoch_id":"` + d.chain.at(startHead).hash + `"}`: {"validators", 200, unknown},
		`{"epoch_id":"` + block.Header.NextEpochID + `"}`:   {"validators", 200, unknown},
		`{"epoch_id":"11111111111111111111111111111111"}`:   {"validators", 200, unknown},
		`{"epoch_id":"2"}`: {"validators", 400, failedArgs("epoch_id: invalid value: a hash of 32 bytes in base58 was expected")},
		`{}`:               {"validators", 400, failedArgs("no variant of enum EpochReference found in flattened data")},
		`[]`:               {"validators", 400, failedArgs("invalid type: sequence, expected struct RpcValidatorRequest")},
		``:                 {"validators", 400, failedArgs("invalid type: null, expected struct RpcValidatorRequest")},
	} {
		if got := ask(t, d, "validators", params); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", params, got, want)
		}
	}
}

func TestProtocolConfig(t *testing.T) {
	d, _ := standing3(t)
	var v struct {
		ChainID       string `json:"chain_id"`
		EpochLength   int    `json:"epoch_length"`
		GenesisHeight int    `json:"genesis_height"`
		RuntimeConfig struct {
			StorageAmountPerByte string `json:"storage_amount_per_byte"`
		} `json:"runtime_config"`
	}
	result(t, d, "EXPERIMENTAL_protocol_config", `{"finality":"final"}`, &v)
	if v.ChainID != "volley" || v.EpochLength != 100 || v.GenesisHeight != genesisHeight || v.RuntimeConfig.StorageAmountPerByte != "10000000000000000000" {
		t.Errorf("%+v", v)
	}
	for params, want := range map[string]exchange{
		`{"block_id":1300001}`: {"EXPERIMENTAL_protocol_config", 200, handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 1300001 \n Cause: Unknown"`)},
		`{}`:                   {"EXPERIMENTAL_protocol_config", 400, failedArgs("no variant of enum BlockReference found in flattened data")},
		`[1]`:                  {"EXPERIMENTAL_protocol_config", 400, failedArgs("invalid type: sequence, expected struct RpcProtocolConfigRequest")},
		``:                     {"EXPERIMENTAL_protocol_config", 400, failedArgs("invalid type: null, expected struct RpcProtocolConfigRequest")},
	} {
		if got := ask(t, d, "EXPERIMENTAL_protocol_config", params); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", params, got, want)
		}
	}
}

func TestMethodsWithoutParamsIgnoreThem(t *testing.T) {
	d, _ := standing3(t)
	for _, method := range []string{"status", "network_info", "genesis_config", "EXPERIMENTAL_genesis_config", "client_config"} {
		first := ask(t, d, method, ``)
		if first.label != method || first.status != 200 || !json.Valid([]byte(first.body)) {
			t.Errorf("%s: %+v", method, first)
		}
		for _, params := range []string{`null`, `[]`, `{"x":1}`, `[1,2]`} {
			if got := ask(t, d, method, params); got != first {
				t.Errorf("%s %s: %+v, want %+v", method, params, got, first)
			}
		}
	}
	var genesis struct {
		GenesisHeight int `json:"genesis_height"`
		Validators    []genesisValidator
	}
	if result(t, d, "genesis_config", ``, &genesis); genesis.GenesisHeight != genesisHeight || len(genesis.Validators) != 1 {
		t.Errorf("%+v", genesis)
	}
	if got := fmt.Sprint(d.shardLayout()); got != "{[0] 84}" {
		t.Errorf("shard layout %s", got)
	}
}
