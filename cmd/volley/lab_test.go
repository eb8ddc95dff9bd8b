package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"volley/loadgen/experiment"
	"volley/scenario"
)

// The settings of a block are held against each other with the same times drawn; each
// block draws its own.
func TestBlocksDrawTheirOwnTimes(t *testing.T) {
	t.Setenv(asProgram, "1")
	l := &lab{dir: t.TempDir(), stop: make(chan struct{}), warn: func(w string) { t.Log(w) }}
	defer l.close()
	const text = `name: drawn
target: {dialect: jsonrpc, node: {slots: 1, service: {sum: {exponential: 200us}}}}
load: [{rate: 10 calls/s, for: 1s}]
form: single
mix: [{method: sum, params: [1, 2]}]
`
	file := filepath.Join(t.TempDir(), "drawn.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := func(block int, limit string) string {
		t.Helper()
		plan, err := scenario.Load(file, []string{"target.node.batch_concurrency_limit=" + limit})
		if err != nil {
			t.Fatal(err)
		}
		plan.Seed = uint64(block)
		if _, err := l.Prepare(context.Background(), &experiment.Spec{Plan: plan, Block: block}); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			var sum float64
			if posted(t, l.place.url, `{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2]}`, &sum); sum != 3 {
				t.Fatalf("the sum is %g", sum)
			}
		}
		resp, err := http.Get(l.place.bundledURL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		page, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`(?m)^volley_asked_seconds_sum\{kind="wait"\} (\S+)$`).FindSubmatch(page)
		if found == nil {
			t.Fatalf("no times asked for in %s", page)
		}
		return string(found[1])
	}
	first := asked(1, "1")
	if other := asked(1, "4"); other != first {
		t.Errorf("in one block 5 calls wait for %s s and %s s", first, other)
	}
	second := asked(2, "4")
	if second == first {
		t.Errorf("in another block they wait for %s s as well", second)
	}
	if other := asked(2, "1"); other != second {
		t.Errorf("the setting measured first in a block waits for %s s, the next for %s s", second, other)
	}
}

// A search's trials follow one another on one node, and a node of the user's own keeps
// its connections from block to block.
func TestPlaceIsKept(t *testing.T) {
	t.Setenv(asProgram, "1")
	file := filepath.Join(t.TempDir(), "kept.yaml")
	if err := os.WriteFile(file, []byte("name: kept\ntarget: {dialect: jsonrpc}\nload: [{rate: 10 calls/s, for: 1s}]\nform: single\nmix: [{method: sum, params: [1, 2]}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	places := func(set []string, block int) (first, second *reached, url string) {
		t.Helper()
		l := &lab{dir: t.TempDir(), stop: make(chan struct{}), warn: func(w string) { t.Log(w) }}
		t.Cleanup(l.close)
		for i := range 2 {
			plan, err := scenario.Load(file, set)
			if err != nil {
				t.Fatal(err)
			}
			plan.Seed = uint64(i + 1)
			if _, err := l.Prepare(context.Background(), &experiment.Spec{Plan: plan, Block: block * (i + 1)}); err != nil {
				t.Fatal(err)
			}
			first, second = second, l.place
		}
		return first, second, l.place.url
	}
	first, second, url := places(nil, 0)
	if first != second {
		t.Error("a search's second trial has another node")
	}
	if first, second, _ := places([]string{"target.url=" + url}, 1); first != second {
		t.Error("in the next block the user's own node is connected to anew")
	}
}
