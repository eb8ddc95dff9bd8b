package scenario

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const applied = `
target:
  dialect: near
  url: http://127.0.0.1:3030/
  apply: [./set-limit.sh, "--limit={batch_concurrency_limit}", "{size}", plain, "{not a name}"]
  ready: http://127.0.0.1:3030/status
load: [{rate: 10 calls/s, for: 1s}]
mix: [{method: query, params: {request_type: view_account, account_id: near, finality: final}}]
`

func TestApply(t *testing.T) {
	dir := t.TempDir()
	p, err := load(source{file: "x.yaml", dir: dir, data: []byte(applied)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"batch_concurrency_limit", "size"}; !slices.Equal(p.Target.Placeholders(), want) {
		t.Errorf("placeholders %q, want %q", p.Target.Placeholders(), want)
	}
	got, err := p.Target.ApplyFor(map[string]string{"batch_concurrency_limit": "8", "size": "{20}; rm x", "other": "1"})
	want := []string{filepath.Join(dir, "set-limit.sh"), "--limit=8", "{20}; rm x", "plain", "{not a name}"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("command %q, %v, want %q", got, err, want)
	}
	if _, err := p.Target.ApplyFor(map[string]string{"size": "1"}); err == nil || !strings.Contains(err.Error(), "{batch_concurrency_limit}") {
		t.Errorf("a placeholder without a value: %v", err)
	}
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := load(source{file: "plan.yaml", dir: t.TempDir(), data: text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Target.Apply, p.Target.Apply) || again.Target.Ready != p.Target.Ready {
		t.Errorf("the effective plan says %q, %q", again.Target.Apply, again.Target.Ready)
	}
}
