package rcp

import (
	"runtime/debug"
	"strconv"
	"sync/atomic"

	"volley/internal/jsonrpc"
)

// protocolVersion is the highest this node speaks, and the only one there is.
const protocolVersion = 1

// session is whether a peer has been initialised (section 13). A nil session
// always is, and may be initialised again.
type session struct {
	ready atomic.Bool
}

// initialize negotiates the version: the lower of both sides' highest. It
// refuses only a client that speaks none at all; a failure changes nothing.
func (s *session) initialize(params []byte) *jsonrpc.Error {
	if s != nil && s.ready.Load() {
		return alreadyInitialized()
	}
	version := member(params, "protocolVersion")
	highest, ok := integer(version)
	switch {
	case version == nil:
		return invalid("protocolVersion", "is missing: the highest version that the client speaks, an integer")
	case !ok:
		return invalid("protocolVersion", "is not an integer")
	case min(highest, protocolVersion) < 1:
		return &jsonrpc.Error{
			Code:    versionMismatch,
			Message: "no version in common: this server speaks 1, the client at most " + strconv.FormatInt(highest, 10),
		}
	}
	if s != nil && !s.ready.CompareAndSwap(false, true) {
		return alreadyInitialized()
	}
	return nil
}

func alreadyInitialized() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "already initialized: call shutdown before another initialize"}
}

func (s *session) initialized() bool { return s == nil || s.ready.Load() }

func (s *session) end() {
	if s != nil {
		s.ready.Store(false)
	}
}

// identity names the embedding space: it changes whenever the encoder does, so
// that stored vectors are never compared across.
const identity = "volley/hashed-ngrams-1"

// hello is the result of initialize and info (section 7.1): capabilities are
// fixed for a node's life (section 13.2), so it is written once. x-volley tells
// the batch cap, for which the specification has no field. L0 is the highest
// level without retrieve (section 14).
func hello(c Config) []byte {
	b := []byte(`{"protocolVersion":` + strconv.Itoa(protocolVersion) + `,"server":{"name":"volley","version":`)
	b = jsonrpc.AppendString(b, buildVersion())
	b = append(b, `},"capabilities":{"embed":{"dimension":`...)
	b = strconv.AppendInt(b, int64(c.Dimension), 10)
	b = append(b, `,"identity":"`+identity+`","batchLimit":`...)
	b = strconv.AppendInt(b, int64(c.EmbedBatchLimit), 10)
	b = append(b, `,"normalized":true,"encodings":["json","f32-base64"]},"sparseEmbed":{"identity":"`+identity+`","vocabulary":`...)
	b = strconv.AppendInt(b, vocabulary, 10)
	b = append(b, `},"multiVector":{"identity":"`+identity+`","dimension":`...)
	b = strconv.AppendInt(b, int64(c.Dimension), 10)
	b = append(b, `,"similarity":"cosine"},"rerank":{"methods":["colbert"],"maxCandidates":`...)
	b = strconv.AppendInt(b, int64(c.RerankMaxCandidates), 10)
	b = append(b, `},"x-volley":{"maxBatch":`...)
	b = strconv.AppendInt(b, int64(c.BatchSizeLimit), 10)
	return append(b, `}},"_meta":{"conformance":"L0"}}`...)
}

func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// ping echoes a nonce byte for byte (section 7.15).
func ping(params, dst []byte) ([]byte, *jsonrpc.Error) {
	nonce := member(params, "nonce")
	switch {
	case nonce == nil:
		return append(dst, `{}`...), nil
	case !isString(nonce) && !isNumber(nonce):
		return dst, invalid("nonce", "is neither a string nor a number")
	}
	dst = append(dst, `{"nonce":`...)
	dst = append(dst, nonce...)
	return append(dst, '}'), nil
}
