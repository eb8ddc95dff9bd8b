package target

// Fault is one way to answer wrongly. Those of the wire are done over HTTP alone,
// and end the connection.
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

// faultTable has each fault's name, in a config file and in the metrics, and what
// it does.
var faultTable = [faults]struct{ name, doc string }{
	Reorder:          {"reorder", "a batch's entries in another order (right, but no node's habit)"},
	Drop:             {"drop", "an entry of a batch left out"},
	Duplicate:        {"duplicate", "an entry of a batch twice"},
	ForeignID:        {"foreign_id", "one answer with an id that nobody has sent"},
	RoundedID:        {"rounded_id", "integer ids as a float64 has them: beyond 2^53 they are others"},
	NoID:             {"no_id", "one answer without its id"},
	Unwrap:           {"unwrap", "an array of one answer as a bare object"},
	Collapse:         {"collapse", "one error object for a whole batch, with the first answer's id"},
	EmptyBody:        {"empty_body", "HTTP 200 and no body"},
	NewlineBody:      {"newline_body", "HTTP 200 and a body of one line's end"},
	Truncate:         {"truncate", "the body cut short, with a length that fits: no JSON"},
	WrongContentType: {"wrong_content_type", "text/html"},
	Delay:            {"delay", "right, but late by delay_for"},
	CloseDelimited:   {"close_delimited", "wire: no length, the connection's end ends the body"},
	Chunked:          {"chunked", "wire: a chunked body"},
	Hang:             {"hang", "wire: no answer until the client has gone"},
	Reset:            {"reset", "wire: a reset in the middle of the body"},
	Huge:             {"huge", "wire: the right answer with white space in it to huge_bytes"},
}

func (f Fault) String() string { return faultTable[f].name }

func (f Fault) onWire() bool { return f >= CloseDelimited }

func faultOf(name string) Fault {
	for f := firstFault; f < faults; f++ {
		if faultTable[f].name == name {
			return f
		}
	}
	return noFault
}
