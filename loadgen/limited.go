package loadgen

import (
	"slices"
	"strings"

	"volley/internal/jsonrpc"
	"volley/results"
)

// tooManyRequests is HTTP's status for it (RFC 6585 section 4).
const tooManyRequests = 429

// limitCodes gives the codes by which a dialect says that a rate was passed: RCP/1
// section 12 has one; JSON-RPC and NEAR have none, so there it is that of the reference
// node, and HTTP's status as a code, as providers of Ethereum nodes answer.
func limitCodes(dialect string) []int64 {
	if dialect == "rcp" {
		return []int64{-32011}
	}
	return []int64{-32029, tooManyRequests}
}

// speak tells the correlator the node's dialect.
func (c *correlator) speak(dialect string) {
	c.limits, c.eip1474 = limitCodes(dialect), dialect == "jsonrpc"
}

// overRate tells whether an error says that a rate was passed: by HTTP 429, by its
// code, or, where EIP-1474 may be spoken, by its -32005. That code is also jsonrpsee's
// and NEAR's for batches that are not taken, and other limits' than those of a rate, so
// that its words decide.
func (c *correlator) overRate(a *jsonrpc.Answer) bool {
	switch {
	case c.limited, slices.Contains(c.limits, a.Code):
		return true
	case a.Code != -32005 || !c.eip1474:
		return false
	}
	message, _ := jsonrpc.Unquote(a.Message)
	words := strings.ToLower(string(message))
	return words == "limit exceeded" || strings.Contains(words, "rate limit") ||
		strings.Contains(words, "rate exceeded") || strings.Contains(words, "too many requests")
}

// class is an error's, where it was not asked for.
func (b bare) class() results.Class {
	if b.limited {
		return results.RateLimited
	}
	return results.RPCError
}
