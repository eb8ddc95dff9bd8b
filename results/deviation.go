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
	NumDeviations        = int(NotificationAnswered) + 1
)

var deviationNames = [NumDeviations]string{
	"answers out of order", "one object for a batch of one", "another status where nothing was due", "notifications answered",
}

// String gives the name that reports and run.json use.
func (d Deviation) String() string { return deviationNames[d] }

// Deviations is a set of them.
type Deviations uint8

// Add puts d into the set.
func (s *Deviations) Add(d Deviation) { *s |= 1 << d }

// Has tells whether d is in the set.
func (s Deviations) Has(d Deviation) bool { return s&(1<<d) != 0 }

// parseDeviation gives the deviation of that name.
func parseDeviation(name string) (Deviation, bool) {
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
