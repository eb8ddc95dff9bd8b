package results

// Deviation is a way in which a reply departs from the protocol, or from what the
// plan expects of the node, that fails nothing: it is counted beside the classes, in
// calls. The list is closed.
type Deviation uint8

// The deviations.
const (
	OutOfOrder           Deviation = iota // answers not in the order of their requests, where that is expected
	Unwrapped                             // a bare object answers a batch of one
	StatusOfNothing                       // another status than expected where no answer was due, and the body is empty
	NotificationAnswered                  // answers without an id, to notifications, where they are put up with
	ContentType                           // answers under a content type that is not JSON's
	Wrapped                               // an array answers a bare request
	Huge                                  // a body over HugeBody
	NoContinue                            // no 100 (Continue) where it was asked for, so that the body was sent when the wait was over
	Reordered                             // answers not in the order of their requests, where any order will do: no fault

	// What follows is no fault either, but more than some clients bear with.
	UntilClosed   // a body that ends with the connection
	Chunked       // a body in chunks
	OtherJSON     // answers under a content type of JSON's other than application/json
	NullError     // an error that is null beside a result
	OtherNumber   // an id that is written otherwise than it was sent: 1.0 for 1
	Blank         // white space where no answer was due
	NumDeviations = int(Blank) + 1
)

// HugeBody is the size, in bytes, of the largest aggregate that nodes with a limit on
// it allow by default (NEAR's batch_response_size_limit, jsonrpsee's response size).
const HugeBody = 10 << 20

// Allowed tells the deviations that neither the protocol nor the plan objects to: they
// are worth knowing, as other nodes do not do it.
func (d Deviation) Allowed() bool { return d >= Reordered }

var deviationNames = [NumDeviations]string{
	"answers out of order", "one object for a batch of one", "another status where nothing was due", "notifications answered",
	"a content type that is not JSON's", "an array for a bare request", "a body over 10 MiB", "no 100 (Continue) where it was asked for", "answers in another order, as is allowed",
	"bodies that end with the connection", "bodies in chunks", "a JSON content type other than application/json",
	"error null beside results", "ids written as other numbers", "white space where nothing was due",
}

// String gives the name that reports and run.json use.
func (d Deviation) String() string { return deviationNames[d] }

// Deviations is a set of them.
type Deviations uint16

// Add puts d into the set.
func (s *Deviations) Add(d Deviation) { *s |= 1 << d }

// Has tells whether d is in the set.
func (s Deviations) Has(d Deviation) bool { return s&(1<<d) != 0 }

// ParseDeviation gives the deviation of that name.
func ParseDeviation(name string) (Deviation, bool) {
	for d, n := range deviationNames {
		if n == name {
			return Deviation(d), true
		}
	}
	return 0, false
}

func deviationsByName(by *[NumDeviations]uint64) map[string]uint64 {
	var m map[string]uint64
	for d, n := range by {
		if n > 0 {
			addTo(&m, Deviation(d).String(), n)
		}
	}
	return m
}
