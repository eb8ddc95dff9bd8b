package results

// Class is what became of a call or of one of its entries. The list is closed.
type Class uint8

// The outcome classes. A call's class is that of its exchange when that went
// wrong as a whole, else the gravest of its entries (OK, Notified and Rejected
// are not grave).
const (
	OK                Class = iota // answered with a result
	RPCError                       // answered with an error object; the code is counted too
	ResultError                    // answered with a result that holds an error (NEAR result.error)
	RateLimited                    // turned away as over a rate that is admitted: HTTP 429, or a code that says so
	Missing                        // no answer in an otherwise readable reply
	Duplicate                      // answered more than once
	UnknownID                      // no answer, in a reply that holds one to an id that was not sent, or without an id
	Notified                       // a notification whose exchange succeeded
	Rejected                       // sent malformed on purpose and answered so
	BatchError                     // the whole batch was answered by one error object
	HTTPError                      // an HTTP status that is no answer (no JSON-RPC body)
	Timeout                        // no answer in time
	Refused                        // the connection was refused
	Reset                          // the connection broke before the answer was whole
	MalformedResponse              // a body that is not a JSON-RPC answer
	CutOff                         // still under way when the run ended
	NumClasses        = int(CutOff) + 1
)

var classNames = [NumClasses]string{
	"ok", "rpc error", "result-level error", "rate limited", "missing entry", "duplicate entry", "unknown id",
	"notified", "rejected as malformed", "batch-level error", "HTTP error", "timeout", "refused",
	"reset", "malformed response", "cut off",
}

// String gives the name that reports and run.json use.
func (c Class) String() string { return classNames[c] }

// Failed tells whether an entry of this class counts against an error
// objective: everything but OK, Notified and Rejected.
func (c Class) Failed() bool { return c != OK && c != Notified && c != Rejected }

// inVain tells the classes of calls that waited for an answer which did not come:
// how long they waited bounds the response time from below.
func (c Class) inVain() bool { return c == Timeout || c == CutOff }

// whole tells the failed classes that a call has because of its exchange or of the
// reply as a whole, and not of the answer to one of its entries.
func (c Class) whole() bool { return c.Failed() && c != RPCError && c != ResultError }
