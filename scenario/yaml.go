package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// YAML gives the effective plan as a scenario file, every default written out.
// It loads back to an equal plan, save that secrets read REDACTED: literal
// header values, and in addresses user info, query values and path segments
// that look like keys. Feed files are named by their absolute paths, so that
// the plan can be read from anywhere on this machine. A plan that was not made
// by Load may hold a feed that YAML cannot write: an error.
func (p *Plan) YAML() ([]byte, error) {
	w := &planWriter{}
	w.line("name: %s", str(p.Name))
	w.line("seed: %d", p.Seed)
	w.target(&p.Target)
	w.line("load:")
	for _, ph := range p.Phases {
		w.line("  - %s", phaseText(ph))
	}
	w.line("form: %s", p.Form)
	w.line("size: %s", distText(p.Size))
	if p.Form == Batch {
		w.line("items: %s", distText(p.Items))
	}
	w.line("notifications: %s", decimal(p.Notifications))
	w.line("malformed: %s", decimal(p.Malformed))
	w.line("mix:")
	for _, m := range p.Mix {
		row := fmt.Sprintf("weight: %s, method: %s", decimal(m.Weight), str(m.Method))
		if m.Params != nil {
			row += ", params: " + valueText(m.Params)
		}
		w.line("  - {%s}", row)
	}
	if err := w.feeds(p.Feeds); err != nil {
		return nil, err
	}
	if len(p.Objectives) > 0 {
		w.line("slo:")
		for _, o := range p.Objectives {
			w.line("  - %s", str(o.Text))
		}
	}
	w.expect(&p.Expect)
	w.line("timeout: %s", p.Timeout)
	w.line("drain: %s", p.Drain)
	w.line("in_flight: %d", p.InFlight)
	return w.out.Bytes(), nil
}

type planWriter struct{ out bytes.Buffer }

func (w *planWriter) line(format string, args ...any) { fmt.Fprintf(&w.out, format+"\n", args...) }

func (w *planWriter) target(t *Target) {
	w.line("target:")
	w.line("  dialect: %s", t.Dialect)
	if t.URL != "" {
		w.line("  url: %s", str(secretFree(t.URL)))
	}
	w.line("  transport: %s", t.Transport)
	if len(t.Command) > 0 {
		w.line("  command: %s", strList(secretFreeCommand(t.Command)))
	}
	if len(t.Headers) > 0 {
		w.line("  headers:")
		for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
			w.line("    %s: %s", quoted(name), secretText(t.Headers[name]))
		}
	}
	w.reach(t)
	if len(t.Node) > 0 {
		w.line("  node: %s", flow(t.Node))
	}
	if len(t.NodeCPUs) > 0 {
		w.line("  node_cpus: %s", quoted(FormatCPUs(t.NodeCPUs)))
	}
	if len(t.Apply) > 0 {
		w.line("  apply: %s", strList(secretFreeCommand(t.Apply)))
	}
	if t.Ready != "" {
		w.line("  ready: %s", str(secretFree(t.Ready)))
	}
	w.line("  metrics: {%s}", metricsText(&t.Metrics))
	if a := t.Authorised; a != nil {
		w.line("  authorised: {by: %s, max_rate: %s %s}", str(a.By), decimal(a.MaxRate.Value), a.MaxRate.Unit)
	}
}

// reach writes how the node is connected to.
func (w *planWriter) reach(t *Target) {
	if t.TLS != nil {
		w.line("  tls: %s", tlsText(t.TLS))
	}
	if t.Auth != nil {
		w.line("  auth: %s", authText(t.Auth))
	}
	if t.Transport != "stdio" {
		w.line("  resolve: %s", resolves()[map[bool]int{true: 1}[t.ResolveAlways]])
	}
	if text := connectionsText(t); text != "" {
		w.line("  connections: {%s}", text)
	}
}

func tlsText(v *TLS) string {
	parts := []string{"insecure: " + strconv.FormatBool(v.Insecure)}
	put := func(key, value string) {
		if value != "" {
			parts = append(parts, key+": "+str(value))
		}
	}
	put("ca", v.CA)
	put("cert", v.Cert)
	put("key", v.Key)
	if v.KeyEnv != "" {
		parts = append(parts, "key: {env: "+v.KeyEnv+"}")
	}
	put("server_name", v.ServerName)
	return "{" + strings.Join(parts, ", ") + "}"
}

func authText(a *Auth) string {
	if a.User != "" {
		return fmt.Sprintf("{basic: {user: %s, password: %s}}", str(a.User), secretText(a.Secret))
	}
	return "{bearer: " + secretText(a.Secret) + "}"
}

func metricsText(m *Metrics) string {
	var parts []string
	if m.URL != "" {
		parts = append(parts, "url: "+str(secretFree(m.URL)))
	}
	if p := m.Prometheus; p != nil {
		parts = append(parts, fmt.Sprintf("prometheus: {url: %s, match: %s}", str(secretFree(p.URL)), str(p.Match)))
	}
	if len(m.Headers) > 0 {
		var headers []string
		for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
			headers = append(headers, quoted(name)+": "+secretText(m.Headers[name]))
		}
		parts = append(parts, "headers: {"+strings.Join(headers, ", ")+"}")
	}
	if m.Auth != nil {
		parts = append(parts, "auth: "+authText(m.Auth))
	}
	if m.TLS != nil {
		parts = append(parts, "tls: "+tlsText(m.TLS))
	}
	parts = append(parts, "every: "+m.Every.String())
	if len(m.Series) > 0 {
		var series []string
		for _, role := range slices.Sorted(maps.Keys(m.Series)) {
			series = append(series, role+": "+quoted(m.Series[role]))
		}
		parts = append(parts, "series: {"+strings.Join(series, ", ")+"}")
	}
	if len(m.Keep) > 0 {
		parts = append(parts, "keep: "+strList(m.Keep))
	}
	if m.BatchLimit > 0 {
		parts = append(parts, fmt.Sprintf("batch_concurrency_limit: %d", m.BatchLimit))
	}
	return strings.Join(parts, ", ")
}

func (w *planWriter) expect(e *Expect) {
	order, status := "any", "any"
	if e.InOrder {
		order = "request"
	}
	if e.EmptyStatus != 0 {
		status = strconv.Itoa(e.EmptyStatus)
	}
	w.line("expect: {order: %s, one_object_for_batch_of_one: %t, empty_for_notifications: %s, answers_to_notifications: %t}",
		order, e.UnwrappedOne, status, e.NotificationAnswers)
}

func connectionsText(t *Target) string {
	c := t.Connections
	switch {
	case t.Transport == "websocket":
		return "sockets: " + strconv.Itoa(c.Sockets)
	case t.Transport != "http":
		return ""
	}
	parts := []string{"keep_alive: " + strconv.FormatBool(!c.CloseEach)}
	if c.MaxAge > 0 {
		parts = append(parts, "max_age: "+c.MaxAge.String())
	}
	if c.MaxRequests > 0 {
		parts = append(parts, "max_requests: "+strconv.Itoa(c.MaxRequests))
	}
	if c.ExpectContinue > 0 {
		parts = append(parts, "expect_continue: "+c.ExpectContinue.String())
	}
	return strings.Join(parts, ", ")
}

// secretText writes where a secret is, never the secret.
func secretText(h Header) string {
	if h.Env != "" {
		return "{env: " + h.Env + "}"
	}
	return str(redacted)
}

func phaseText(p Phase) string {
	parts := []string{"name: " + str(p.Name)}
	switch {
	case p.Replay != nil:
		parts = append(parts, "replay: "+str(p.Replay.File))
	case p.Callers > 0:
		parts = append(parts, "callers: "+strconv.Itoa(p.Callers))
	default:
		rate := decimal(p.Rate.Value)
		if p.To != p.Rate.Value {
			rate += ".." + decimal(p.To)
		}
		parts = append(parts, fmt.Sprintf("rate: %s %s", rate, p.Rate.Unit), "arrivals: "+p.Arrivals)
	}
	parts = append(parts, "for: "+p.For.String(), "measured: "+strconv.FormatBool(p.Measured))
	return "{" + strings.Join(parts, ", ") + "}"
}

func distText(d Dist) string {
	switch d.Kind {
	case "choice":
		parts := make([]string, len(d.Choices))
		for i, c := range d.Choices {
			parts[i] = fmt.Sprintf("%d: %s", c.Value, decimal(c.Share))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case "uniform":
		return fmt.Sprintf("{uniform: [%d, %d]}", d.Min, d.Max)
	case "zipf":
		return fmt.Sprintf("{zipf: {max: %d, s: %s}}", d.Max, decimal(d.S))
	}
	return strconv.Itoa(d.Value)
}

func valueText(v *Value) string {
	switch {
	case v.JSON != nil:
		if looksLikeHole(v.JSON) {
			return "{literal: " + flow(v.JSON) + "}"
		}
		return flow(v.JSON)
	case v.Pick != "":
		return "{pick: " + str(v.Pick) + "}"
	case v.Items != nil:
		return "{items: " + valueText(v.Items) + "}"
	case v.Base64 != nil:
		return "{base64: " + valueText(v.Base64) + "}"
	case v.Pinned != "":
		return "{pinned: " + v.Pinned + "}"
	}
	parts := make([]string, len(v.Values))
	for i, below := range v.Values {
		if parts[i] = valueText(below); !v.Array {
			parts[i] = quoted(v.Keys[i]) + ": " + parts[i]
		}
	}
	if v.Array {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// looksLikeHole tells whether a literal holds, at any depth, an object that
// would be read as a hole.
func looksLikeHole(literal []byte) bool {
	if literal[0] != '{' && literal[0] != '[' {
		return false
	}
	var list []json.RawMessage
	if json.Unmarshal(literal, &list) == nil {
		return slices.ContainsFunc(list, func(r json.RawMessage) bool { return looksLikeHole(r) })
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(literal, &members) != nil {
		return true
	}
	for key, value := range members {
		if len(members) == 1 && slices.Contains(holes(), key) || looksLikeHole(value) {
			return true
		}
	}
	return false
}

func (w *planWriter) feeds(feeds map[string]Feed) error {
	if len(feeds) == 0 {
		return nil
	}
	w.line("feeds:")
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		var body string
		switch f := feeds[name].(type) {
		case *listFeed:
			switch {
			case f.file == "":
				body = "values: " + strList(f.values)
			case f.column == "":
				body = "file: " + str(f.file)
			default:
				body = "file: " + str(f.file) + ", column: " + str(f.column)
			}
		case *rangeFeed:
			body = "range: " + str(f.String())
		default:
			return fmt.Errorf("write the plan: feed %s is of a kind (%T) that no scenario file has", name, f)
		}
		w.line("  %s: {%s}", quoted(name), body)
	}
	return nil
}

// String gives the range as a scenario writes it.
func (f *rangeFeed) String() string {
	return fmt.Sprintf("%s{%0*d..%0*d}%s", f.prefix, f.width, f.from, f.width, f.from+uint64(f.n)-1, f.suffix)
}

func strList(values []string) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = quoted(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

var plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_/-]*(\.[A-Za-z0-9_/-]+)*( [A-Za-z0-9_/.-]+)*$`)

// str writes text for a block or flow mapping, plain where no reader can doubt it.
func str(s string) string {
	if plainText.MatchString(s) && resolve(s, false) == isString && !strings.HasSuffix(s, " ") {
		return s
	}
	return quoted(s)
}

// quoted writes a double-quoted scalar (YAML 1.2.2, section 5.7).
func quoted(s string) string { return flow(quoteJSON(s)) }

// flow writes JSON as YAML: the same text, spaced, with what YAML bars from
// its streams escaped.
func flow(literal []byte) string {
	var b strings.Builder
	inString, escaped := false, false
	for _, r := range string(literal) {
		switch {
		case r > 0x7e && !unicode.IsPrint(r):
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		case !inString && (r == ':' || r == ','):
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		switch {
		case escaped:
			escaped = false
		case inString && r == '\\':
			escaped = true
		case r == '"':
			inString = !inString
		}
	}
	return b.String()
}
