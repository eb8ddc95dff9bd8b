package scenario

import (
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// setting is one key of a mapping: the decoder knows it, the schema publishes
// it and its default is written here and nowhere else.
type setting struct {
	key      string
	doc      string
	required bool
	unless   string // this key, which makes it not required
	def      string // default, as YAML text; "" for none
	schema   func() *jsonschema.Schema
}

// table is all that a mapping may hold.
type table struct {
	what     string // "a phase": names the mapping in problems
	settings []setting
}

func (t *table) find(key string) *setting {
	for i := range t.settings {
		if t.settings[i].key == key {
			return &t.settings[i]
		}
	}
	return nil
}

func (t *table) keys() []string {
	keys := make([]string, len(t.settings))
	for i, s := range t.settings {
		keys[i] = s.key
	}
	return keys
}

func scenarioTable() *table {
	return &table{"a scenario", []setting{
		{key: "name", doc: "What the run is called in reports. Default: the file's name.", schema: text},
		{key: "seed", doc: "Seeds every random choice; the same seed draws the same arrivals, sizes and values.", def: "1", schema: whole(0)},
		{key: "target", doc: "What the load is aimed at.", required: true, schema: object(targetTable())},
		{key: "load", doc: "The phases, one after the other.", required: true, schema: list(object(phaseTable()))},
		{key: "form", doc: "How work is put on the wire: single is one bare request with one item, batch an array of `size` requests, array one bare request with `size` items in its array parameter.", def: "single", schema: words(forms()...)},
		{key: "size", doc: "Entries of a batch (form batch) or items of the one entry (form array).", def: "1", schema: distSchema},
		{key: "items", doc: "Items that each entry of a batch carries in its array parameter (form batch).", def: "1", schema: distSchema},
		{key: "notifications", doc: "Share of entries sent without an id, which are never answered.", def: "0%", schema: share},
		{key: "malformed", doc: "Share of entries sent malformed on purpose. Drawn before notifications.", def: "0%", schema: share},
		{key: "mix", doc: "The methods called, drawn by weight.", required: true, schema: list(object(methodTable()))},
		{key: "feeds", doc: "Named lists of strings that {pick: NAME} draws from.", schema: mapOf(object(feedTable()))},
		{key: "slo", doc: "Objectives, such as `response p99 <= 250ms` or `entry errors <= 0.1%`. Missing one makes the exit code 1.", schema: list(pattern(`^\S+.*(<=|<|>=|>).*$`, ""))},
		{key: "expect", doc: "What is expected of replies where dialects differ. What departs from it is counted as a deviation, not as a failure.", schema: object(expectTable())},
		{key: "timeout", doc: "How long one call may take.", def: "10s", schema: duration},
		{key: "drain", doc: "How long to wait, after the last phase, for answers still due.", def: "10s", schema: duration},
		{key: "in_flight", doc: "Bound on calls under way at once in phases that have a rate.", def: "256", schema: whole(1)},
	}}
}

func expectTable() *table {
	return &table{"expect", []setting{
		{key: "order", doc: "request: answers in the order of their requests. any: JSON-RPC 2.0 promises none.", def: "any", schema: words(orders()...)},
		{key: "one_object_for_batch_of_one", doc: "true: a bare object may answer a batch of one, in place of an array.", def: "false", schema: boolean},
		{key: "empty_for_notifications", doc: "The HTTP status of the empty reply where no answer is due: 200, 204 or any.", def: "any", schema: func() *jsonschema.Schema {
			return &jsonschema.Schema{Enum: []any{"any", 200, 204}}
		}},
		{key: "answers_to_notifications", doc: "true: an answer without an id, one for each notification, is a deviation. false: it is an answer to nothing that was asked.", def: "false", schema: boolean},
	}}
}

func targetTable() *table {
	return &table{"a target", []setting{
		{key: "dialect", doc: "The protocol's rules.", required: true, schema: words(dialects()...)},
		{key: "url", doc: "The node: http or https, with transport websocket ws or wss too, or a Unix socket as unix:/run/node.sock or http+unix://%2Frun%2Fnode.sock/path. Left out: the bundled node is started for the run.", schema: text},
		{key: "transport", doc: "How the node is reached: http is HTTP/1.1, h2 HTTP/2 (over TLS, or by prior knowledge), websocket messages with one request or batch each, stdio lines of a command's.", def: "http", schema: words(transports()...)},
		{key: "command", doc: "With transport stdio: the node to start, a program and its arguments. Left out: the bundled one.", schema: list(text)},
		{key: "headers", doc: "Headers sent with every call: a text, or {env: VARIABLE}. Their values are never stored or shown.", schema: mapOf(headerSchema)},
		{key: "tls", doc: "How the node of an https or wss url is trusted, and how it can trust us.", schema: object(tlsTable())},
		{key: "auth", doc: "The authorization of every request: basic or bearer. Its secret is never stored or shown.", schema: object(authTable())},
		{key: "resolve", doc: "once: the url's host is looked up once for the run, and its addresses are in the results. always: at every connect.", def: "once", schema: words(resolves()...)},
		{key: "connections", doc: "What a connection is used for.", schema: object(connectionsTable())},
		{key: "node", doc: "The bundled node's config file, word for word.", schema: anyObject},
		{key: "node_cpus", doc: "The CPUs of the node that the run starts: [0, 2-3], or as a text. Left out: all that volley itself was started with.", schema: cpuList},
		{key: "apply", doc: "For experiments with a node of your own, whose settings volley cannot change: the command that brings it to a setting, a program and its arguments, run without a shell. {NAME} in an argument stands for the value that is varied under that name. A program named with a slash is looked for beside the scenario.", schema: list(text)},
		{key: "ready", doc: "An address that answers with a status below 400 once apply has taken effect. Left out: when apply ends.", schema: text},
		{key: "metrics", doc: "Where and how often the node's own metrics are read.", schema: object(metricsTable())},
		{key: "authorised", doc: "Who allowed the test of a node that is not on a loopback or private address.", schema: object(authorisedTable())},
	}}
}

func metricsTable() *table {
	return &table{"metrics", []setting{
		{key: "url", doc: "The node's own page of metrics: http, https or a Unix socket. Left out: /metrics of the target, with its headers, auth and tls.", schema: text},
		{key: "prometheus", doc: "In place of the node's own page: a Prometheus server that scrapes the node.", schema: object(prometheusTable())},
		{key: "headers", doc: "Headers sent to that url or server: a text, or {env: VARIABLE}. Their values are never stored or shown.", schema: mapOf(headerSchema)},
		{key: "auth", doc: "The authorization at that url or server: basic or bearer.", schema: object(authTable())},
		{key: "tls", doc: "How that url or server is trusted, and how it can trust us.", schema: object(tlsTable())},
		{key: "every", doc: "0s: not at all. Default: 1s, over stdio without a url or a server 0s.", schema: duration},
		{key: "series", doc: "Names of the node's series, by what they say, where they are not those of the dialect: a name, or one with labels, as in rpc_total{kind=\"batch\"}.", schema: object(seriesTable())},
		{key: "keep", doc: "Patterns such as txpool_*: of all that the node exposes, what is kept beside the series above. Left out: everything, up to 2,000 series.", schema: list(pattern(keepPattern.String(), "txpool_*"))},
		{key: "batch_concurrency_limit", doc: "Of a node that the run does not start: how many entries of one batch it runs at once, for the report to say whether that limit binds. Left out: not known.", schema: whole(1)},
	}}
}

func prometheusTable() *table {
	return &table{"prometheus", []setting{
		{key: "url", doc: "The server's own address, without /api.", required: true, schema: text},
		{key: "match", doc: "Which of its series are the node's, by labels: job=\"near\", or job=\"near\",instance=\"10.0.0.7:3030\". Default: instance is the host and port of the target's url.", schema: pattern(matchers.String(), `job="near"`)},
	}}
}

// seriesTable holds the roles that series can play. An empty name says that the node
// has no such series.
func seriesTable() *table {
	t := &table{what: "series"}
	for _, role := range []struct{ key, doc string }{
		{"batches", "A counter of batches, told apart by a label outcome if there is one."},
		{"entries", "A counter of the entries of batches, by outcome."},
		{"batch_time", "A histogram of the seconds that processing a batch took."},
		{"batch_size", "A histogram of the entries of a batch."},
		{"batch_bytes", "A histogram of the bytes of an answer to a batch."},
		{"batches_in_flight", "A gauge of the batches under way."},
		{"entries_in_flight", "A gauge of the entries of batches that are being processed."},
		{"singles", "A counter of calls that are no batch, by outcome."},
		{"requests", "A counter of HTTP requests."},
		{"method_calls", "A counter of calls of methods, alone or in a batch."},
		{"method_time", "A histogram of the seconds that they took."},
		{"cpu", "A counter of the CPU seconds of the node's process."},
		{"memory", "A gauge of the bytes that it has in memory."},
	} {
		t.settings = append(t.settings, setting{key: role.key, doc: role.doc, schema: text})
	}
	return t
}

func authorisedTable() *table {
	return &table{"authorised", []setting{
		{key: "by", doc: "Who allowed the test: for a public endpoint its operator.", required: true, schema: text},
		{key: "max_rate", doc: "The rate allowed, in entries/s; never exceeded, notifications included.", required: true, schema: pattern(`^\s*[0-9.]+\s+entries/s\s*$`, "500 entries/s")},
	}}
}

func headerTable() *table {
	return &table{"a header", []setting{
		{key: "env", doc: "The environment variable that holds the value.", required: true, schema: text},
	}}
}

func tlsTable() *table {
	return &table{"tls", []setting{
		{key: "ca", doc: "A PEM file beside the scenario with the certificates that vouch for the node's. Left out: the system's.", schema: text},
		{key: "cert", doc: "A PEM file with our own certificate, and behind it those that it hangs on.", schema: text},
		{key: "key", doc: "The PEM file of its key, or {env: VARIABLE} for one that holds the key itself.", schema: headerSchema},
		{key: "server_name", doc: "The name that the node's certificate has to hold. Left out: the url's host.", schema: text},
		{key: "insecure", doc: "true: whatever certificate the node shows will do.", def: "false", schema: boolean},
	}}
}

func authTable() *table {
	return &table{"auth", []setting{
		{key: "basic", doc: "A name and a password.", schema: object(basicTable())},
		{key: "bearer", doc: "A token: {env: VARIABLE}, or a text.", schema: headerSchema},
	}}
}

func basicTable() *table {
	return &table{"basic", []setting{
		{key: "user", doc: "The name.", required: true, schema: text},
		{key: "password", doc: "{env: VARIABLE}, or a text.", required: true, schema: headerSchema},
	}}
}

func connectionsTable() *table {
	return &table{"connections", []setting{
		{key: "max_age", doc: "With transport http: a connection this old is given up for a new one before its next call. Left out: never.", schema: duration},
		{key: "max_requests", doc: "With transport http: a connection that has carried so many calls is given up for a new one. Left out: never.", schema: whole(1)},
		{key: "keep_alive", doc: "With transport http: false for a connection for every call.", def: "true", schema: boolean},
		{key: "expect_continue", doc: "With transport http: the head of each call is sent by itself and asks for 100 (Continue), and the body when the node says so, or when it has said nothing for this long, such as 1s. Left out: head and body go together.", schema: duration},
		{key: "sockets", doc: "With transport websocket: how many WebSockets the calls share. Left out: one.", schema: whole(1)},
	}}
}

func phaseTable() *table {
	return &table{"a phase", []setting{
		{key: "name", doc: "Unique among the phases. Default: phase N.", schema: text},
		{key: "rate", doc: "A rate such as `600 entries/s`, or a ramp, `600..2400 entries/s`. The unit is calls/s, entries/s or items/s.", schema: pattern(`^\s*[0-9.]+(\s*\.\.\s*[0-9.]+)?\s+(calls|entries|items)/s\s*$`, "600 entries/s")},
		{key: "arrivals", doc: "How arrivals are spread: constant, uniform (jittered) or poisson. Default: constant.", schema: words(arrivals()...)},
		{key: "callers", doc: "Closed loop, instead of a rate: that many callers, each with one call under way.", schema: whole(1)},
		{key: "replay", doc: "Instead of a rate: a file of due times, in seconds from the phase's start, one a line, in order. It is looked for beside the scenario.", schema: text},
		{key: "for", doc: "How long the phase lasts. With replay it may be left out: up to the last due time.", required: true, unless: "replay", schema: duration},
		{key: "measured", doc: "false for a warm-up, which no objective looks at.", def: "true", schema: boolean},
	}}
}

func methodTable() *table {
	return &table{"a row of the mix", []setting{
		{key: "weight", doc: "Relative to the other rows' weights.", def: "1", schema: number},
		{key: "method", doc: "The JSON-RPC method.", required: true, schema: text},
		{key: "params", doc: "Any value, sent as JSON. Holes: {pick: FEED}, {items: VALUE}, {base64: VALUE}, {pinned: final}; {literal: VALUE} is sent as it is.", schema: params},
	}}
}

func feedTable() *table {
	return &table{"a feed", []setting{
		{key: "file", doc: "A file beside the scenario: one value a line, or CSV with a header when column is given.", schema: text},
		{key: "column", doc: "The CSV column that holds the values.", schema: text},
		{key: "range", doc: "Names with a counter: user{0..9999}.near. {0000..9999} pads with zeros.", schema: pattern(`\{[0-9]+\.\.[0-9]+\}`, "user{0..9999}.near")},
		{key: "values", doc: "The values themselves.", schema: list(scalarSchema)},
	}}
}

func uniformTable() *table {
	return &table{"a size", []setting{
		{key: "uniform", doc: "Every size from the first to the second, equally often.", required: true, schema: func() *jsonschema.Schema {
			two := uint64(2)
			return &jsonschema.Schema{Type: "array", Items: whole(1)(), MinItems: &two, MaxItems: &two}
		}},
	}}
}

func zipfTable() *table {
	return &table{"a size", []setting{
		{key: "zipf", doc: "Sizes 1 to max, size k with a probability proportional to k^-s.", required: true, schema: object(zipfParts())},
	}}
}

func zipfParts() *table {
	return &table{"zipf", []setting{
		{key: "max", doc: "The largest size.", required: true, schema: whole(1)},
		{key: "s", doc: "The exponent.", def: "1.1", schema: number},
	}}
}

func dialects() []string   { return []string{"near", "rcp", "jsonrpc"} }
func transports() []string { return []string{"http", "h2", "websocket", "stdio"} }
func resolves() []string   { return []string{"once", "always"} }
func forms() []string      { return []string{string(Single), string(Batch), string(Array)} }
func arrivals() []string   { return []string{"constant", "uniform", "poisson"} }
func units() []string      { return []string{string(Calls), string(Entries), string(Items)} }

// The shapes of settings, as JSON Schema.

func text() *jsonschema.Schema    { return &jsonschema.Schema{Type: "string"} }
func boolean() *jsonschema.Schema { return &jsonschema.Schema{Type: "boolean"} }
func number() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "number", Minimum: json.Number("0")}
}
func anyObject() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

func whole(least int) func() *jsonschema.Schema {
	return func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: json.Number([]string{"0", "1"}[least])}
	}
}

func words(of ...string) func() *jsonschema.Schema {
	return func() *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "string"}
		for _, w := range of {
			s.Enum = append(s.Enum, w)
		}
		return s
	}
}

func pattern(re, example string) func() *jsonschema.Schema {
	return func() *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "string", Pattern: re}
		if example != "" {
			s.Examples = []any{example}
		}
		return s
	}
}

func duration() *jsonschema.Schema {
	return oneOf(
		&jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h))+$`, Examples: []any{"30s"}},
		&jsonschema.Schema{Const: 0})
}

func share() *jsonschema.Schema {
	return oneOf(
		&jsonschema.Schema{Type: "string", Pattern: `^\s*[0-9.]+\s*%$`, Examples: []any{"5%"}},
		&jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1"})
}

func list(of func() *jsonschema.Schema) func() *jsonschema.Schema {
	return func() *jsonschema.Schema { return &jsonschema.Schema{Type: "array", Items: of()} }
}

func mapOf(of func() *jsonschema.Schema) func() *jsonschema.Schema {
	return func() *jsonschema.Schema { return &jsonschema.Schema{Type: "object", AdditionalProperties: of()} }
}

func oneOf(shapes ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{OneOf: shapes} }

func params() *jsonschema.Schema {
	return oneOf(&jsonschema.Schema{Type: "object"}, &jsonschema.Schema{Type: "array"})
}

func cpuList() *jsonschema.Schema {
	text := pattern(`^\s*[0-9]+(\s*-\s*[0-9]+)?(\s*,\s*[0-9]+(\s*-\s*[0-9]+)?)*\s*$`, "0,2-3")
	one := oneOf(whole(0)(), text())
	least := uint64(1)
	return oneOf(whole(0)(), text(), &jsonschema.Schema{Type: "array", Items: one, MinItems: &least})
}

func scalarSchema() *jsonschema.Schema {
	return oneOf(text(), &jsonschema.Schema{Type: "number"}, boolean())
}

func headerSchema() *jsonschema.Schema { return oneOf(text(), object(headerTable())()) }

func distSchema() *jsonschema.Schema {
	one := uint64(1)
	choice := &jsonschema.Schema{
		Type: "object", MinProperties: &one, AdditionalProperties: jsonschema.FalseSchema,
		PatternProperties: map[string]*jsonschema.Schema{`^[1-9][0-9]*$`: share()},
		Description:       "Sizes and their shares, which add up to 100%.",
	}
	return oneOf(whole(1)(), choice, object(uniformTable())(), object(zipfTable())())
}
