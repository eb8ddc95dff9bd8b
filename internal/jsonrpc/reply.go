package jsonrpc

// AnswerKind is what an answer says, by its members.
type AnswerKind uint8

// The kinds of an answer. A member "error" that is null counts as absent, as
// some servers send it beside every result.
const (
	NotAnAnswer AnswerKind = iota // no object, neither result nor error, both of them, or an error without an integer code
	Result                        // a result, which may be null
	ErrorObject                   // an error object, the result absent or null
	ResultError                   // a result object that itself has a member "error" that is not null
)

// Answer is one element of a reply, taken apart but not decoded. Every slice
// aliases the reply. Of a name that comes twice the last counts.
type Answer struct {
	ID        []byte // raw token of "id"; nil when absent
	IDKind    Kind
	Int       uint64 // the id, when IsInt
	IsInt     bool   // the id is a number of nothing but digits that fits
	Kind      AnswerKind
	NullError bool   // a member "error" that is null stands beside the result
	Code      int64  // of an ErrorObject
	Message   []byte // raw JSON of error.message of an ErrorObject, nil when absent, or of result.error of a ResultError
	Data      []byte // raw JSON of error.data of an ErrorObject; nil when absent or null
	Result    []byte // raw JSON of "result"; nil when absent
}

// ScanReply takes a reply apart in one pass: it calls each for every element of
// an array, in order, or once for any other text, and counts the calls. The
// Answer is valid only during the call.
//
// The body must be exactly one JSON text as [Split] demands, else err is a
// *[SyntaxError]. A fault may come to light after the first answers were given:
// on an error they are part of a text that cannot be trusted, and whoever
// gathered them must forget them.
func ScanReply(body []byte, each func(*Answer)) (batch bool, n int, err error) {
	return new(Scanner).ScanReply(body, each)
}

// Scanner is the memory of [ScanReply], for whoever reads many replies: with it a
// good one costs no allocation. Its zero value is ready for use. It is not safe for
// concurrent use.
type Scanner struct{ answer Answer }

// ScanReply is the function of that name.
func (s *Scanner) ScanReply(body []byte, each func(*Answer)) (batch bool, n int, err error) {
	var f fault
	a := &s.answer
	i := skipSpace(body, 0)
	batch = i < len(body) && body[i] == '['
	if batch {
		i, n, f = scanBatch(body, i, a, each)
	} else {
		i, f = a.scan(body, i, 0)
	}
	if f == none {
		i, f = wantEnd(body, i)
	}
	if f != none {
		return batch, n, f.at(body, i)
	}
	if !batch {
		each(a)
		n = 1
	}
	return batch, n, nil
}

func scanBatch(b []byte, i int, a *Answer, each func(*Answer)) (at, n int, f fault) {
	i, more := first(b, i)
	for more {
		end, f := a.scan(b, i, 1)
		if f != none {
			return end, n, f
		}
		each(a)
		n++
		if i, more, f = next(b, end, false); f != none {
			return i, n, f
		}
	}
	return i, n, none
}

// scan fills the answer from the value that starts at i, which has depth
// containers around it, and returns where that ends.
func (a *Answer) scan(b []byte, i, depth int) (int, fault) {
	*a = Answer{}
	if i >= len(b) || b[i] != '{' {
		return skipValue(b, i, depth)
	}
	var (
		err  errorValue
		held []byte // result.error
	)
	i, more := first(b, i)
	for more {
		name, at, f := readName(b, i)
		if f != none {
			return at, f
		}
		end := at
		switch string(name) {
		case "result":
			end, held, f = scanResult(b, at, depth+1)
			a.Result = b[at:end:end]
		case "error":
			end, err, f = scanError(b, at, depth+1)
		case "id":
			end, f = skipValue(b, at, depth+1)
			a.ID = b[at:end:end]
		case "jsonrpc":
			const version = `"2.0"`
			if end = at + len(version); end > len(b) || string(b[at:end]) != version {
				end, f = skipValue(b, at, depth+1)
			}
		default:
			end, f = skipValue(b, at, depth+1)
		}
		if f != none {
			return end, f
		}
		if i, more, f = next(b, end, true); f != none {
			return i, f
		}
	}
	a.IDKind = kindOf(a.ID)
	a.Int, a.IsInt = plainInteger(a.ID)
	a.classify(err, held)
	return i, none
}

func (a *Answer) classify(err errorValue, held []byte) {
	if err.kind == Absent || err.kind == Null {
		a.NullError = err.kind == Null && a.Result != nil
		switch {
		case a.Result == nil:
			a.Kind = NotAnAnswer
		case held != nil:
			a.Kind, a.Message = ResultError, held
		default:
			a.Kind = Result
		}
		return
	}
	code, ok := integer(err.code)
	if ok && (a.Result == nil || kindOf(a.Result) == Null) {
		a.Kind, a.Code, a.Message, a.Data = ErrorObject, code, err.message, err.data
	}
}

// errorValue is the value of a response's member "error": code and message are
// raw, nil when it is no object or lacks them.
type errorValue struct {
	kind                Kind
	code, message, data []byte
}

func scanError(b []byte, i, depth int) (int, errorValue, fault) {
	if i >= len(b) || b[i] != '{' {
		end, f := skipValue(b, i, depth)
		return end, errorValue{kind: kindOf(b[i:end])}, f
	}
	e := errorValue{kind: Object}
	i, more := first(b, i)
	for more {
		name, at, f := readName(b, i)
		if f != none {
			return at, e, f
		}
		end, f := skipValue(b, at, depth+1)
		if f != none {
			return end, e, f
		}
		switch string(name) {
		case "code":
			e.code = b[at:end:end]
		case "message":
			e.message = b[at:end:end]
		case "data":
			if e.data = b[at:end:end]; kindOf(e.data) == Null {
				e.data = nil
			}
		}
		if i, more, f = next(b, end, true); f != none {
			return i, e, f
		}
	}
	return i, e, none
}

// scanResult passes over a result and yields the value of its member "error",
// nil when that is null, absent, or the result is no object.
func scanResult(b []byte, i, depth int) (end int, held []byte, f fault) {
	if i >= len(b) || b[i] != '{' {
		end, f = skipValue(b, i, depth)
		return end, nil, f
	}
	i, more := first(b, i)
	for more {
		name, at, f := readName(b, i)
		if f != none {
			return at, nil, f
		}
		end, f := skipValue(b, at, depth+1)
		if f != none {
			return end, nil, f
		}
		if string(name) == "error" {
			if held = b[at:end:end]; kindOf(held) == Null {
				held = nil
			}
		}
		if i, more, f = next(b, end, true); f != none {
			return i, nil, f
		}
	}
	return i, held, none
}
