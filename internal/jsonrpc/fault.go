package jsonrpc

import (
	"bytes"
	"fmt"
)

// SyntaxError says where a body stops being a JSON text and why.
type SyntaxError struct {
	Offset int    // in bytes from the body's start; its length when the text ends too early
	Reason string // in plain words
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not a JSON text: %s at byte %d", e.Reason, e.Offset)
}

type fault uint8

const (
	none fault = iota
	endOfText
	noValue
	noName
	noColon
	noCommaInObject
	noCommaInArray
	badNumber
	badLiteral
	badEscape
	badUTF8
	controlCharacter
	tooDeep
	trailingData
)

var reasons = [...]string{
	none:             "nothing wrong",
	endOfText:        "unexpected end of text",
	noValue:          "expected a value",
	noName:           "expected a member name in double quotes",
	noColon:          "expected a colon after the member name",
	noCommaInObject:  "expected a comma or a closing brace",
	noCommaInArray:   "expected a comma or a closing bracket",
	badNumber:        "invalid number",
	badLiteral:       "invalid literal (not true, false or null)",
	badEscape:        "invalid escape in a string",
	badUTF8:          "invalid UTF-8",
	controlCharacter: "control character in a string",
	tooDeep:          fmt.Sprintf("nested deeper than %d levels", MaxDepth),
	trailingData:     "trailing data after the JSON text",
}

func (f fault) at(body []byte, offset int) *SyntaxError {
	switch {
	case f == endOfText && skipSpace(body, 0) == len(body):
		return &SyntaxError{Offset: offset, Reason: "empty body"}
	case bytes.HasPrefix(body, []byte("\ufeff")):
		return &SyntaxError{Offset: 0, Reason: "byte order mark before the JSON text"}
	}
	return &SyntaxError{Offset: offset, Reason: reasons[f]}
}
