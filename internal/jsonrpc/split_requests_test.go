package jsonrpc

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func splitRequests(body []byte, most int) (requests []Request, members int, batch bool, err error) {
	var read []*Request
	members, batch, err = SplitRequests(body, most, func() *Request {
		read = append(read, &Request{Unknown: true}) // which was another's
		return read[len(read)-1]
	})
	for _, r := range read {
		requests = append(requests, *r)
	}
	return requests, members, batch, err
}

// TestSplitRequests_most: members beyond are counted, and checked, but not kept.
func TestSplitRequests_most(t *testing.T) {
	request := `{"jsonrpc":"2.0","id":1,"method":"a"}`
	for _, c := range []struct {
		body          string
		most          int
		kept, members int
		batch         bool
		reason        string
	}{
		{body: `[` + request + `,` + request + `,1]`, most: -1, kept: 3, members: 3, batch: true},
		{body: `[` + request + `,` + request + `,1]`, most: 3, kept: 3, members: 3, batch: true},
		{body: `[` + request + `,` + request + `,1]`, most: 2, kept: 2, members: 3, batch: true},
		{body: `[` + request + `,` + request + `,1]`, most: 0, kept: 0, members: 3, batch: true},
		{body: ` [ ] `, most: 1, batch: true},
		{body: request, most: 1, kept: 1, members: 1},
		{body: request, most: 0, kept: 0, members: 1},
		{body: `[1,2,{"a":]`, most: 1, reason: reasons[noValue]},
		{body: `[1,2`, most: 1, reason: reasons[endOfText]},
		{body: `[1]2`, most: 1, reason: reasons[trailingData]},
	} {
		requests, members, batch, err := splitRequests([]byte(c.body), c.most)
		if err == nil && len(requests) != c.kept || members != c.members || batch != c.batch || (err == nil) != (c.reason == "") {
			t.Errorf("%s, at most %d: %d of %d kept, batch %v, %v", c.body, c.most, len(requests), members, batch, err)
		}
		if err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %s", c.body, err, c.reason)
		}
	}
}

// TestSplitRequests_space: what is not kept takes none, however many members
// there are.
func TestSplitRequests_space(t *testing.T) {
	body := append(bytes.Repeat([]byte("1,"), 100_000), '1')
	body = append(append([]byte{'['}, body...), ']')
	var space Request
	allocated := testing.AllocsPerRun(5, func() {
		if members, _, err := SplitRequests(body, 10, func() *Request { return &space }); err != nil || members != 100_001 {
			t.Errorf("%d members, %v", members, err)
		}
	})
	if allocated != 0 {
		t.Errorf("%v allocations", allocated)
	}
}

// FuzzSplitRequests: it is Split and ParseRequest at once.
func FuzzSplitRequests(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		members, batch, err := Split(body, nil)
		requests, count, batch2, err2 := splitRequests(body, -1)
		if !reflect.DeepEqual(err, err2) || batch != batch2 || count != len(members) || err == nil && len(requests) != len(members) {
			t.Fatalf("%d members, batch %v, %v; Split gives %d, %v, %v", count, batch2, err2, len(members), batch, err)
		}
		for i, m := range members {
			if want := ParseRequest(m); !reflect.DeepEqual(requests[i], want) {
				t.Fatalf("member %d, %s, is %+v; alone it is %+v", i, m, requests[i], want)
			}
		}
	})
}

func BenchmarkSplitRequests(b *testing.B) {
	body := requestOf(100)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	requests, at := make([]Request, 100), 0
	for b.Loop() {
		at = 0
		if _, _, err := SplitRequests(body, -1, func() *Request { at++; return &requests[at-1] }); err != nil {
			b.Fatal(err)
		}
	}
}
