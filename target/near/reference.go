package near

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"volley/internal/jsonrpc"
)

// refFields are the raw values of a block reference; nil where absent.
type refFields struct{ blockID, finality, checkpoint []byte }

func (f *refFields) set(name, value []byte) {
	switch string(name) {
	case "block_id":
		f.blockID = value
	case "finality":
		f.finality = value
	case "sync_checkpoint":
		f.checkpoint = value
	}
}

// parseReference reads the block reference among the members of an object.
func parseReference(object []byte) (blockRef, error) {
	var f refFields
	for name, value := range jsonrpc.Members(object) {
		f.set(name, value)
	}
	return f.parse()
}

var errNoReference = errors.New("no variant of enum BlockReference found in flattened data")

// parse reads the one reference that must be there. Where there are several,
// block_id comes before finality and finality before sync_checkpoint: nearcore
// looks at members in alphabetical order.
func (f *refFields) parse() (blockRef, error) {
	switch {
	case f.blockID != nil:
		return parseBlockID(f.blockID)
	case f.finality != nil:
		return parseVariant(f.finality, optimistic, "optimistic", "near-final", "final")
	case f.checkpoint != nil:
		return parseVariant(f.checkpoint, genesis, "genesis", "earliest_available")
	}
	return blockRef{}, errNoReference
}

// parseVariant reads a name, one of those that are expected; they stand for
// first and the kinds after it.
func parseVariant(token []byte, first refKind, expected ...string) (blockRef, error) {
	text, ok := textOf(token)
	if !ok {
		return blockRef{}, fmt.Errorf("invalid type: %s, expected string", described(token))
	}
	for i, name := range expected {
		if string(text) == name {
			return blockRef{kind: first + refKind(i)}, nil
		}
	}
	return blockRef{}, fmt.Errorf("unknown variant `%s`, expected one of `%s`", text, strings.Join(expected, "`, `"))
}

// parseMaybeBlockID reads a block id, or null for the head.
func parseMaybeBlockID(token []byte) (blockRef, error) {
	if token == nil || string(token) == "null" {
		return blockRef{kind: optimistic}, nil
	}
	return parseBlockID(token)
}

var errBlockID = errors.New("data did not match any variant of untagged enum BlockId")

// parseBlockID reads a height or a base58 hash.
func parseBlockID(token []byte) (blockRef, error) {
	if text, ok := textOf(token); ok {
		hash, ok := parseHash(text)
		if !ok {
			return blockRef{}, errBlockID
		}
		return blockRef{kind: byHash, hash: hash}, nil
	}
	height, err := strconv.ParseUint(string(token), 10, 64)
	if err != nil {
		return blockRef{}, errBlockID
	}
	return blockRef{kind: byHeight, height: height}, nil
}
