package correlate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Role is what a series says about a node. Its text is the word by which a
// scenario gives the series' name.
type Role string

// The roles. Each says what kind of series plays it. Series of one name are summed
// over all labels that a selector does not name; the roles with outcomes are told
// apart by their label "outcome", if there is one.
const (
	Batches         Role = "batches"           // counter of batches by outcome
	Entries         Role = "entries"           // counter of batches' entries by outcome
	BatchTime       Role = "batch_time"        // histogram: seconds of processing a batch
	BatchSize       Role = "batch_size"        // histogram: entries of a batch
	BatchBytes      Role = "batch_bytes"       // histogram: bytes of a response array
	BatchesInFlight Role = "batches_in_flight" // gauge
	EntriesInFlight Role = "entries_in_flight" // gauge: entries of batches that hold one of their batch's slots
	Singles         Role = "singles"           // counter of calls that are no arrays, by outcome
	Requests        Role = "requests"          // counter of HTTP requests
	MethodCalls     Role = "method_calls"      // counter of calls of methods, singletons and entries alike
	MethodTime      Role = "method_time"       // histogram: seconds of processing them
	CPU             Role = "cpu"               // counter: CPU seconds of the node's process
	Memory          Role = "memory"            // gauge: resident bytes of the node's process
)

// Roles gives all roles, in the order in which they are told.
func Roles() []Role {
	return []Role{
		Batches, Entries, BatchTime, BatchSize, BatchBytes, BatchesInFlight, EntriesInFlight,
		Singles, Requests, MethodCalls, MethodTime, CPU, Memory,
	}
}

// Names tell which series play which role. A role without a selector is one that
// the node does not expose. Names are not changed once they are in use.
type Names map[Role]Selector

// Preset gives the names that a node of that dialect (near, rcp, jsonrpc) uses:
// for near those of nearcore's query batching and of its per-method metrics, for
// the others those of the bundled node. The bundled node's own counters of HTTP
// requests and of singletons, and the process_ series of Prometheus' client
// libraries, are in every preset: a node that lacks them exposes nothing there.
func Preset(dialect string) Names {
	prefix := "volley_rpc_"
	if dialect == "near" {
		prefix = "near_rpc_"
	}
	n := Names{}
	for role, name := range map[Role]string{
		Batches:         prefix + "batch_requests_total",
		Entries:         prefix + "batch_entries_total",
		BatchTime:       prefix + "batch_processing_time",
		BatchSize:       prefix + "batch_request_entries",
		BatchBytes:      prefix + "batch_response_size_bytes",
		BatchesInFlight: prefix + "batch_requests_in_flight",
		EntriesInFlight: prefix + "batch_query_entries_in_flight",
		MethodCalls:     prefix + "total_count",
		MethodTime:      prefix + "processing_time",
		Singles:         "volley_single_requests_total",
		Requests:        "volley_http_requests_total",
		CPU:             "process_cpu_seconds_total",
		Memory:          "process_resident_memory_bytes",
	} {
		n[role] = Selector{Name: name}
	}
	return n
}

// With gives n with selectors by role word in place of its own; an empty one says
// that the node has no such series. A histogram is named without its _bucket, _sum
// and _count. The error names every word that is no role and every selector that
// cannot be read. n is not changed.
func (n Names) With(overrides map[string]string) (Names, error) {
	out := maps.Clone(n)
	if out == nil {
		out = Names{}
	}
	var wrong []string
	for _, word := range slices.Sorted(maps.Keys(overrides)) {
		role := Role(word)
		if !slices.Contains(Roles(), role) {
			wrong = append(wrong, fmt.Sprintf("%.40q is no role of a series: want one of %s", word, words(Roles())))
			continue
		}
		if overrides[word] == "" {
			delete(out, role)
			continue
		}
		s, err := ParseSelector(overrides[word])
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", word, err))
			continue
		}
		out[role] = s
	}
	if wrong != nil {
		return nil, fmt.Errorf("%s", strings.Join(wrong, "; "))
	}
	return out, nil
}

func words(roles []Role) string {
	all := make([]string, len(roles))
	for i, r := range roles {
		all[i] = string(r)
	}
	return strings.Join(all, ", ")
}
