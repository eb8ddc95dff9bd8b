package near

import (
	"reflect"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
)

var commonSeeds = []string{
	`{"request_type":"view_account","account_id":"near","finality":"final"}`,
	`{"finality":"near-final","account_id":"a..b","request_type":"view_account"}`,
	` { "account_id" : "x" , "request_type" : "view_account" , "finality" : "optimistic" } `,
	`{"request_type":"view_account","account_id":"","block_id":"PINNED"}`,
	`{"request_type":"view_account","account_id":"near","block_id":"11111111111111111111111111111111"}`,
	`{"request_type":"view_account","account_id":"near","block_id":"22"}`,
	`{"request_type":"view_account","account_id":"near","block_id":5}`,
	`{"request_type":"view_account","account_id":"near","finality":"final","block_id":5}`,
	`{"request_type":"view_account","account_id":"near","finality":"final","finality":"optimistic"}`,
	`{"request_type":"view_account","account_id":"near","account_id":"near","finality":"final"}`,
	`{"request_type":"view_account","request_type":"view_account","account_id":"near","finality":"final"}`,
	`{"request_type":"view_account","account_id":"near","finality":"final","x":1}`,
	`{"request_type":"view_account","account_id":"ne\u0061r","finality":"final"}`,
	`{"request_type":"view_account","account_id":"é","finality":"final"}`,
	`{"request_type":"view_account","account_id":"near","finality":"Final"}`,
	`{"request_type":"view_code","account_id":"near","finality":"final"}`,
	`{"request_type":"view_account","account_id":"near","sync_checkpoint":"genesis"}`,
	`{"request_type":"view_account","account_id":"near"}`,
	`{"account_id":"near","finality":"final"}`, `{}`, `{"request_type":["view_account"]}`,
}

func TestWhatTheCommonDecoderTakes(t *testing.T) {
	d, _ := standing3(t)
	pinned := d.chain.at(startHead)
	for i, params := range commonSeeds {
		params = strings.ReplaceAll(params, "PINNED", pinned.hash)
		for _, known := range []*block{nil, pinned} {
			var r request
			if got, want := r.parseCommon([]byte(params), known) > 0, i < 5 || i == 13; got != want {
				t.Errorf("%s: %v, want %v", params, got, want)
			}
		}
	}
}

func TestCommonParamsAreDecodedWithoutAnAllocation(t *testing.T) {
	d, _ := standing3(t)
	pinned := d.chain.at(startHead)
	params := []byte(strings.ReplaceAll(commonSeeds[3], "PINNED", pinned.hash))
	var r request
	if n := testing.AllocsPerRun(100, func() { r.parseCommon(params, pinned) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// What parseCommon takes, parseQuery takes too, and reads the same.
func FuzzCommonParams(f *testing.F) {
	d, _ := standing3(f)
	pinned := d.chain.at(startHead)
	for _, params := range commonSeeds {
		f.Add([]byte(strings.ReplaceAll(params, "PINNED", pinned.hash)))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		members, _, err := jsonrpc.Split(params, nil)
		if err != nil || len(members) != 1 || members[0][0] != '{' {
			return // no params of that kind come through
		}
		for _, known := range []*block{nil, pinned} {
			var common, general request
			taken := common.parseCommon(members[0], known) > 0
			failure := general.parseQuery(members[0], jsonrpc.Object)
			switch {
			case !taken && !reflect.DeepEqual(common, request{}):
				t.Errorf("%s is not taken and yet becomes %+v", params, common)
			case taken && (failure != nil || !reflect.DeepEqual(common, general)):
				t.Errorf("%s becomes %+v, and %+v (%v) by the general decoder", params, common, general, failure)
			}
			for _, before := range commonSeeds[:5] {
				var s space
				s.common([]byte(strings.ReplaceAll(before, "PINNED", pinned.hash)), known)
				if s.common(members[0], known) != taken || !reflect.DeepEqual(s.request, common) {
					t.Errorf("%s after %s becomes %+v, by itself %+v", params, before, s.request, common)
				}
			}
		}
	})
}

// Params that are those before but for the account id need not be decoded to
// become the same request; those that differ by more are.
func TestAFormFitsWhatIsWrittenAlike(t *testing.T) {
	d, _ := standing3(t)
	pinned := d.chain.at(startHead)
	for _, c := range []struct {
		before, params string
		fits           bool
	}{
		{commonSeeds[0], `{"request_type":"view_account","account_id":"user12.near","finality":"final"}`, true},
		{commonSeeds[0], `{"request_type":"view_account","account_id":"","finality":"final"}`, true},
		{commonSeeds[0], `{"request_type":"view_account","account_id":"near","finality":"optimistic"}`, false},
		{commonSeeds[0], `{"request_type":"view_account","account_id":"x","finality":"optimistic","finality":"final"}`, false},
		{commonSeeds[0], `{"request_type":"view_account","account_id":"\u0061","finality":"final"}`, false},
		{commonSeeds[0], `{"request_type":"view_account","account_id": "x","finality":"final"}`, false},
		{commonSeeds[0], `{"request_type":"view_code","account_id":"x","finality":"final"}`, false},
		{commonSeeds[1], `{"finality":"near-final","account_id":"b","request_type":"view_account"}`, true},
		{commonSeeds[3], `{"request_type":"view_account","account_id":"b","block_id":"PINNED"}`, true},
		{commonSeeds[3], commonSeeds[4], false},
		{commonSeeds[5], commonSeeds[0], false},
		{commonSeeds[0] + strings.Repeat(" ", mostForm), commonSeeds[0], false},
	} {
		before := []byte(strings.ReplaceAll(c.before, "PINNED", pinned.hash))
		params := []byte(strings.ReplaceAll(c.params, "PINNED", pinned.hash))
		var s space
		s.common(before, pinned)
		clear(before) // as the bytes of a call are when its space is another's
		if _, fits := s.form.account(params); fits != c.fits {
			t.Errorf("%s after %s: fits %v", c.params, c.before, fits)
		}
		var want request
		if taken := want.parseCommon(params, pinned) > 0; s.common(params, pinned) != taken || !reflect.DeepEqual(s.request, want) {
			t.Errorf("%s after %s becomes %+v, want %+v", c.params, c.before, s.request, want)
		}
	}
}
