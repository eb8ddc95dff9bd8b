package target

import (
	"net/http"
	"runtime"
	"slices"
	"time"

	"volley/internal/jsonrpc"
)

// A preset is what one node rules about batches, told as the differences from
// [standard]. Where it is from stands in its comment: [V] read in the node's
// source or observed on the wire, [I] inferred from it, [U] not known and
// chosen here. What a comment does not name is [U] and as standard has it.
//
// A preset has the node's rules alone, not its methods: those stay the generic
// dialect's.
type preset struct {
	name  string
	about string
	apply func(*Policy)
}

// presets are in the order in which they are listed.
func presets() []preset {
	return []preset{
		{"geth", "arrays over 1000 get an array of one error; the answer is cut at 25 MB", geth},
		{"erigon", "100 entries, two at once", erigon},
		{"jsonrpsee", "one entry at a time; over 10 MiB it stops and replaces the answer", jsonrpsee},
		{"reth", "jsonrpsee with 160 MiB of answer", reth},
		{"pathfinder", "100 entries; over that a parse error", pathfinder},
		{"juno", "1000 entries; one concurrency for all batches", juno},
		{"zksync-os", "jsonrpsee with 1000 entries", zksyncOS},
		{"agave", "no limit but a body of 50 KiB; all entries at once", agave},
		{"bitcoind", "no limit; an empty array for an empty array", bitcoind},
		{"fulcrum", "345 entries of all running batches of a client", fulcrum},
		{"besu", "50 entries", besu},
		{"nearcore", "100 entries, 16 at once; over 10 MiB the drained answer is replaced", nearcore},
	}
}

// PresetNames are the policies that the generic dialect's config file can name.
func PresetNames() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.name)
	}
	return names
}

// PresetAbout is what sets a policy apart, in a few words; "" where there is none
// of that name.
func PresetAbout(name string) string {
	for _, p := range presets() {
		if p.name == name {
			return p.about
		}
	}
	return ""
}

// presetOf is a preset's policy, or the standard one for "".
func presetOf(name string) (Policy, bool) {
	p := standard()
	if name == "" {
		return p, true
	}
	all := presets()
	i := slices.IndexFunc(all, func(p preset) bool { return p.name == name })
	if i < 0 {
		return p, false
	}
	all[i].apply(&p)
	return p, true
}

// object is a refusal by one error object with id null and HTTP 200.
func object(code jsonrpc.Code, message string, data DataForm) Refusal {
	return Refusal{Status: http.StatusOK, Error: jsonrpc.Error{Code: code, Message: message}, Data: data}
}

// told is object with data of its own, in which {limit} and {size} are filled in.
func told(code jsonrpc.Code, message, data string) Refusal {
	r := object(code, message, FilledIn)
	r.Error.Data = []byte(data)
	return r
}

func plainText(status int, text string) Refusal {
	return Refusal{Status: status, Error: jsonrpc.Error{Message: text}, Data: FilledIn, Form: PlainText}
}

// standard is JSON-RPC 2.0 section 6, with HTTP 200 for every answer and limits
// whose codes and words are jsonrpsee's, which NEAR took over.
func standard() Policy {
	invalid := object(jsonrpc.InvalidRequest, "Invalid Request", NoData)
	return Policy{
		Base:                "/",
		BodyLimit:           10 << 20,
		Enabled:             true,
		Disabled:            object(-32005, "batch requests are not supported by this server", NoData),
		ParseFailed:         object(jsonrpc.ParseError, "Parse error", NoData),
		Empty:               invalid,
		EntryLimit:          1000,
		TooMany:             object(-32010, "The batch request was too large", LimitText),
		ResponseLimit:       10 << 20,
		TooLarge:            object(-32011, "The batch response was too large", LimitText),
		CutOff:              jsonrpc.Error{Code: -32003, Message: "response too large"},
		TimedOut:            jsonrpc.Error{Code: -32002, Message: "request timed out"},
		Concurrency:         16,
		OnlyNotifications:   http.StatusNoContent,
		Invalid:             invalid.Error,
		UnknownMembersValid: true,
		SingleNotification:  true,
		MetricsPrefix:       "volley_rpc_",
	}
}

// geth is go-ethereum: rpc/handler.go, rpc/http.go, rpc/errors.go and
// node/defaults.go [V 2026-08], and what a geth 1.17.10 answered on the wire
// [V]. Entries run one after another. Over the entry limit it answers with an
// array of one error that carries the first call's id. The bytes of the results
// and errors are summed; the entry that goes over 25,000,000 stays, those after
// it are not run. The batch's time, 30 seconds less a margin for writing, is
// its HTTP write timeout [I]. A body over 5 MiB that comes in chunks gets
// HTTP 200 and a parse error there, here the same 413 as one with a length.
func geth(p *Policy) {
	p.BodyLimit = 5 << 20
	p.TooLong = plainText(http.StatusRequestEntityTooLarge, "content length too large ({size}>{limit})")
	p.MediaTypes = []string{"application/json", "application/json-rpc", "application/jsonrequest"}
	p.NotJSON = plainText(http.StatusUnsupportedMediaType, "invalid content type, only application/json is supported")
	p.NotPost = plainText(http.StatusMethodNotAllowed, "method not allowed")
	p.Get = Refusal{Status: http.StatusOK, Form: NoBody}
	p.ParseFailed = object(jsonrpc.ParseError, "parse error", NoData)
	p.Empty = object(jsonrpc.InvalidRequest, "empty batch", NoData)
	p.Invalid = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "invalid request"}
	p.InvalidEchoesID, p.BoolIDValid, p.RepeatedNamesValid = true, true, true
	p.PrimitiveParams = &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "non-array args"}
	p.TooMany = object(jsonrpc.InvalidRequest, "batch too large", NoData)
	p.TooMany.Form, p.TooMany.FirstID = ErrorInArray, true
	p.ResponseLimit, p.ResponseCut, p.ResponseSize = 25_000_000, KeepPartial, ResultsOnly
	p.Concurrency = 1
	p.BatchTimeout = 30*time.Second - 100*time.Millisecond
	p.OnlyNotifications, p.EmptyIsJSON = http.StatusOK, true
}

// erigon is the tree of 2024-08: rpc/server.go, rpc/handler.go and
// cmd/utils/flags.go [V] for the limit, its words and the concurrency; the code
// -32000 is the default of an error without one [I]. The envelope is geth's, of
// which it is a fork [I], without geth's bounds of answer and time; the body's
// bound is [U]. Trees since 2025-12 answer as geth does over the limit: an
// array of one -32600 with the first call's id.
func erigon(p *Policy) {
	geth(p)
	p.BodyLimit = 32 << 20
	p.EntryLimit = 100
	p.TooMany = object(-32000, "batch limit {limit} exceeded (can increase by --rpc.batch.limit). Requested batch of size: {size}", FilledIn)
	p.ResponseLimit, p.ResponseCut, p.ResponseSize = 0, ReplaceDrained, WholeArray
	p.Concurrency = 2
	p.BatchTimeout = 0
}

// jsonrpsee is the library with its defaults: paritytech/jsonrpsee
// server/src/server.rs, server/src/middleware/rpc.rs and
// core/src/server/method_response.rs [V 2026-08]. Entries run one after another;
// the answer is given up as soon as it is over the limit, which is that of a
// single answer's body. A malformed member's id is echoed [V]. The words about
// HTTP, the 200 of an empty reply and ids being whole numbers are [I].
func jsonrpsee(p *Policy) {
	p.EntryLimit = 0
	p.ResponseCut = ReplaceAtOnce
	p.Concurrency = 1
	p.OnlyNotifications = http.StatusOK
	p.Empty = object(jsonrpc.InvalidRequest, "Invalid request", NoData)
	p.Invalid = p.Empty.Error
	p.InvalidEchoesID, p.FractionIDInvalid = true, true
	p.PrimitiveParams = &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "Invalid params"}
	p.TooLong = object(-32007, "Request is too big", LimitText)
	p.TooLong.Status = http.StatusRequestEntityTooLarge
	p.NotJSON = plainText(http.StatusUnsupportedMediaType, "Supplied content type is not allowed. Content-Type: application/json is required")
	p.NotPost = plainText(http.StatusMethodNotAllowed, "Used HTTP Method is not allowed. POST is required")
}

// reth sets no batch configuration of jsonrpsee's: paradigmxyz/reth
// crates/rpc/rpc-builder [V]; 160 MiB of answer [V] and 15 MiB of request, as
// bnb-chain/reth#210 tells them, whose fork adds a limit of 1000.
func reth(p *Policy) {
	jsonrpsee(p)
	p.BodyLimit = 15 << 20
	p.ResponseLimit = 160 << 20
}

// zksyncOS is jsonrpsee with rpc.max_batch_size:
// matter-labs/zksync-os-server#1475 (2026-07) [V its text]. With
// rpc.parallel_batches, which is off by default, 32 entries run at once
// ("batch_concurrency_limit": 32).
func zksyncOS(p *Policy) {
	jsonrpsee(p)
	p.EntryLimit = 1000
}

// pathfinder is equilibriumco/pathfinder crates/rpc/src/jsonrpc/router/method.rs
// and its change #3450 [V]: more members than 100 are a parse error, since the
// limit is enforced while parsing. The reasons stand in data.reason [V]; HTTP
// 200 throughout is [I]; the body's bound and that of the answer, of which none
// was seen, are [U]. A disabled node there refuses an empty array as disabled,
// here as empty.
func pathfinder(p *Policy) {
	p.EntryLimit = 100
	p.Disabled = told(jsonrpc.InvalidRequest, "Invalid Request", `{"reason":"Batch request denied"}`)
	p.Empty = told(jsonrpc.InvalidRequest, "Invalid Request", `{"reason":"A batch request must contain at least one request"}`)
	p.TooMany = told(jsonrpc.ParseError, "Parse error", `{"reason":"array exceeds maximum length {limit}"}`)
	p.ResponseLimit = 0
	p.Concurrency = 1
	p.OnlyNotifications = http.StatusOK
}

// juno is NethermindEth/juno jsonrpc/server.go [V] for the envelope (an id of
// null makes a notification, a fraction is no id, a malformed member's id is
// echoed), an empty array and disabled batches, and its change #3983 (2026-08)
// for the limits: 1000 entries, 64 MB of answer after which no further call is
// run [V its text]. What is answered over either limit is [U], and so are the
// unit of the 64 MB and the answer of a call that was not run. All batches share
// 2 x GOMAXPROCS slots (there: for each version of the interface) [V]. HTTP 200
// for nothing to answer is [I]. It answers in the order of completion, here the
// order is kept.
func juno(p *Policy) {
	p.Disabled = told(jsonrpc.InvalidRequest, "Invalid Request", `"batch requests are disabled"`)
	p.Empty = told(jsonrpc.InvalidRequest, "Invalid Request", `"empty batch"`)
	p.TooMany = told(jsonrpc.InvalidRequest, "Invalid Request", `"batch size {size} is over the limit of {limit}"`)
	p.ResponseLimit, p.ResponseCut = 64_000_000, KeepPartial
	p.CutOff = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "Internal error", Data: []byte(`"batch response size limit reached"`)}
	p.Concurrency, p.ConcurrencyShared = 2*runtime.GOMAXPROCS(0), true
	p.OnlyNotifications = http.StatusOK
	p.NullIDNotifies, p.InvalidEchoesID, p.FractionIDInvalid, p.RepeatedNamesValid = true, true, true, true
}

// agave is anza-xyz/agave on paritytech/jsonrpc, whose core/src/io.rs [V] runs
// all entries at once, keeps their order and has no output for an empty array
// or for notifications alone. There is no limit but the body's: about 450 small
// calls (solana-labs/solana#12282, anza-xyz/agave#12847); 50 KiB is [I]. HTTP
// 200 for no output and the echo of a malformed member's id are [I].
func agave(p *Policy) {
	p.BodyLimit = 50 << 10
	p.TooLong = plainText(http.StatusRequestEntityTooLarge, "RPC request is too large")
	p.EntryLimit = 0
	p.ResponseLimit = 0
	p.Concurrency = AllAtOnce
	p.Empty = Refusal{Status: http.StatusOK, Form: NoBody}
	p.OnlyNotifications = http.StatusOK
	p.Invalid = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "Invalid request"}
	p.InvalidEchoesID = true
}

// bitcoind is bitcoin/bitcoin src/httprpc.cpp and src/rpc/server.cpp [V an older
// tree]: no limit but the body's (32 MiB, [I]), one entry after another, an
// empty array for an empty array, any content type, HTTP 500 for a parse error.
// Since version 28 requests that say "jsonrpc": "2.0" may be notifications
// (bitcoin/bitcoin#27101), with HTTP 204 when there is nothing else [U]; a
// request that does not say it is of version 1 there and always answered, here
// it follows the same rules.
func bitcoind(p *Policy) {
	p.BodyLimit = 32 << 20
	p.MediaTypes = []string{"*"}
	p.NotPost = plainText(http.StatusMethodNotAllowed, "JSONRPC server handles only POST requests")
	p.ParseFailed.Status = http.StatusInternalServerError
	p.EntryLimit = 0
	p.ResponseLimit = 0
	p.Concurrency = 1
	p.Empty = Refusal{Status: http.StatusOK, Form: EmptyArray}
	p.Invalid = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "Invalid Request object"}
	p.VersionOptional, p.BoolIDValid = true, true
}

// fulcrum is cculianu/Fulcrum src/RPC.cpp and src/Options.h, its issue #97 [V]:
// 345 entries (max_batch) of all the batches that one address has running, null
// and duplicate ids refused, no members beyond the protocol's, "jsonrpc" may be
// missing. It speaks on newline-framed streams, which --stdio is, and bounds the
// bytes of request and reply together (max_buffer), which is not modelled.
// Entries take their turn in an event loop: one at a time [I].
func fulcrum(p *Policy) {
	p.EntryLimit, p.LimitPerClient = 345, true
	p.TooMany = object(4, "Batch limit exceeded", NoData)
	p.Empty = object(jsonrpc.InvalidRequest, "Invalid request", NoData)
	p.Invalid = p.Empty.Error
	p.ResponseLimit = 0
	p.Concurrency = 1
	p.NullIDInvalid, p.DuplicateIDsInvalid = true, true
	p.UnknownMembersValid, p.VersionOptional = false, true
}

// besu is --rpc-max-batch-size as it came with besu-eth/besu#4965 [V]: 50
// entries, over which one object of the kind invalid params, "Number of requests
// in batch exceeds ..." [V its beginning, U its end and HTTP 200]. Since #5114
// (23.1) the limit is 1024 and the answer -32005 "Number of requests exceeds max
// batch size" [V]: "batch_size_limit" and "batch_too_many" make it so. An empty
// array's answer and everything else is [U].
func besu(p *Policy) {
	p.EntryLimit = 50
	p.TooMany = object(jsonrpc.InvalidParams, "Number of requests in batch exceeds the limit of {limit}", FilledIn)
	p.ResponseLimit = 0
	p.Concurrency = 1
	p.OnlyNotifications = http.StatusOK
}

// nearcore is the NEAR documentation's page on batching, as dialect near has it
// [V]. There a batch takes the method query alone; the generic dialect has no
// such method, so any is taken here ("batch_methods" names some).
func nearcore(p *Policy) {
	p.EntryLimit = 100
	p.ParseFailed.Status = http.StatusBadRequest
	p.Empty = object(jsonrpc.InvalidRequest, "Invalid request", NoData)
	p.Empty.Status = http.StatusBadRequest
	p.Invalid = p.Empty.Error
	p.UnknownMembersValid = false
	p.SingleNotification = false
}
