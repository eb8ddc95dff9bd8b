package scenario

import (
	"reflect"
	"strings"
	"testing"
)

// TestPlanYAML: the effective plan loads back to an equal one but for secrets,
// and written again it is the same text.
func TestPlanYAML(t *testing.T) {
	for name, p := range examples(t) {
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := load(source{file: "plan.yaml", dir: t.TempDir(), data: text}, nil)
		if err != nil {
			t.Errorf("%s: the plan does not load back:\n%s\n%v", name, text, err)
			continue
		}
		want := *p
		want.Target.URL = secretFree(p.Target.URL)
		want.Target.Metrics.URL = secretFree(p.Target.Metrics.URL)
		if m := p.Target.Metrics.Prometheus; m != nil {
			want.Target.Metrics.Prometheus = &Prometheus{URL: secretFree(m.URL), Match: m.Match}
		}
		want.Target.Headers = nil
		for header, value := range p.Target.Headers {
			if want.Target.Headers == nil {
				want.Target.Headers = map[string]Header{}
			}
			if value.Env == "" {
				value.Value = redacted
			}
			want.Target.Headers[header] = value
		}
		if a := p.Target.Auth; a != nil && a.Secret.Env == "" {
			want.Target.Auth = &Auth{User: a.User, Secret: Header{Value: redacted}}
		}
		want.Warnings, back.Warnings = nil, nil
		if !reflect.DeepEqual(back, &want) {
			t.Errorf("%s: loads back to another plan:\n%s\ngot  %+v\nwant %+v", name, text, back, &want)
		}
		again, err := back.YAML()
		if err != nil || string(again) != string(text) {
			t.Errorf("%s: written twice it differs:\n%s\n%s\n%v", name, text, again, err)
		}
	}
}

func TestPlansOfEveryTransportHoldNoSecret(t *testing.T) {
	for _, name := range []string{"tls", "h2", "websocket", "unix", "prometheus"} {
		p := mustLoad(t, "testdata/"+name+".yaml")
		text, err := p.YAML()
		if err != nil || strings.Contains(string(text), "s3cr3t") || strings.Contains(p.SecretFreeURL(), "s3cr3t") {
			t.Errorf("%v, or the plan tells:\n%s", err, text)
		}
	}
	if got, want := mustLoad(t, "testdata/unix.yaml").SecretFreeURL(), "http+unix://%2Frun%2Fuser%2F1000%2Fnode-0123456789.sock/rpc?key=REDACTED"; got != want {
		t.Errorf("%s, want %s: a socket's path is no secret", got, want)
	}
}

func TestPlanYAMLHoldsNoSecret(t *testing.T) {
	p := mustLoad(t, "testdata/full.yaml", "target.url=http://me:pass@10.0.0.1/v3/0123456789abcdef0123456789abcdef?key=k9")
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"abcdef", "pass", "k9", "me:pass", "token=abc"} {
		if strings.Contains(string(text), secret) || strings.Contains(p.SecretFreeURL(), secret) {
			t.Errorf("the plan tells %s:\n%s", secret, text)
		}
	}
	if want := "http://REDACTED@10.0.0.1/v3/REDACTED?key=REDACTED"; p.SecretFreeURL() != want {
		t.Errorf("%s, want %s", p.SecretFreeURL(), want)
	}
}
