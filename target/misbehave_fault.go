package target

// Fault is one way to answer wrongly. Its name in a config file and in the
// metrics stands beside it; those of the wire are done over HTTP alone, and end
// the connection.
//
//	reorder             a batch's entries in another order (right, but no node's habit)
//	drop                an entry of a batch left out
//	duplicate           an entry of a batch twice
//	foreign_id          one answer with an id that nobody has sent
//	rounded_id          integer ids as a float64 has them: beyond 2^53 they are others
//	no_id               one answer without its id
//	unwrap              an array of one answer as a bare object
//	collapse            one error object for a whole batch, with the first answer's id
//	empty_body          HTTP 200 and no body
//	newline_body        HTTP 200 and a body of one line's end
//	truncate            the body cut short, with a length that fits: no JSON
//	wrong_content_type  text/html
//	delay               right, but late by delay_for
//	close_delimited     wire: no length, the connection's end ends the body
//	chunked             wire: a chunked body
//	hang                wire: no answer until the client has gone
//	reset               wire: a reset in the middle of the body
//	huge                wire: the right answer with white space in it to huge_bytes
type Fault uint8

// The faults.
const (
	noFault Fault = iota
	Reorder
	Drop
	Duplicate
	ForeignID
	RoundedID
	NoID
	Unwrap
	Collapse
	EmptyBody
	NewlineBody
	Truncate
	WrongContentType
	Delay
	CloseDelimited
	Chunked
	Hang
	Reset
	Huge
	faults

	firstFault = Reorder
)

var faultNames = [faults]string{
	"", "reorder", "drop", "duplicate", "foreign_id", "rounded_id", "no_id", "unwrap", "collapse",
	"empty_body", "newline_body", "truncate", "wrong_content_type", "delay",
	"close_delimited", "chunked", "hang", "reset", "huge",
}

func (f Fault) String() string { return faultNames[f] }

func (f Fault) onWire() bool { return f >= CloseDelimited }

func faultOf(name string) Fault {
	for f := firstFault; f < faults; f++ {
		if faultNames[f] == name {
			return f
		}
	}
	return noFault
}
