package study

// Sweep is sweep.json: what each combination of settings came to.
type Sweep struct {
	Head
	Varied         []Varied        `json:"varied"`
	Repeats        int             `json:"repeats"`
	Probe          *ProbeSpec      `json:"probe,omitempty"`
	Cells          []Cell          `json:"cells"` // in the grid's order, the last setting varying fastest
	Models         []Model         `json:"models"`
	Recommendation *Recommendation `json:"recommendation"`
}

// Varied is one dimension of the grid.
type Varied struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// ProbeSpec is the thin stream of bare requests beside the load.
type ProbeSpec struct {
	CallsPerS float64 `json:"calls_per_s"`
}

// Cell is one combination of settings with all of its repeats.
type Cell struct {
	Settings []Setting `json:"settings"`
	Trials   []int     `json:"trials"` // those that count, by number
	// Blocks are the blocks of Trials, one of each: repeats of two cells belong together
	// where their block is the same. Left out where it is not known.
	Blocks []int `json:"blocks,omitempty"`
	Voids  int   `json:"voids"` // trials that did not count
	// Missing: not one trial counts. Metrics are empty then.
	Missing bool     `json:"missing,omitempty"`
	Metrics []Metric `json:"metrics"`
	// NotIdle counts trials that began although the node's gauges were not back at
	// rest.
	NotIdle int `json:"not_idle,omitempty"`
}

// Metric is one figure of a cell.
type Metric struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Value is of all repeats together: a percentile of merged histograms, a ratio of
	// sums. Low and High enclose it with 95% confidence as far as the repeats tell (a
	// Student interval of their mean); null with fewer than two.
	Value   float64   `json:"value"`
	Low     *float64  `json:"low"`
	High    *float64  `json:"high"`
	Repeats []float64 `json:"repeats"` // by trial, in the order of Cell.Trials
	// Few says that there is too little behind it: samples for a percentile, or CPU time
	// for the steps of its counter.
	Few bool `json:"few,omitempty"`
}

// The metrics of a cell. Those of the node's CPU are missing where its metrics do not
// tell it, those of the probe without one.
const (
	CallsPerS     = "calls_per_s"
	EntriesPerS   = "entries_per_s"
	ItemsPerS     = "items_per_s"
	GoodItemsPerS = "good_items_per_s"
	ResponseMean  = "response_mean_us"
	ResponseP50   = "response_p50_us"
	ResponseP99   = "response_p99_us"
	ServiceMean   = "service_mean_us"
	ProbeP50      = "probe_p50_us"
	ProbeP99      = "probe_p99_us"
	CPUPerCall    = "node_cpu_us_per_call"
	CPUPerEntry   = "node_cpu_us_per_entry"
	CPUPerItem    = "node_cpu_us_per_item"
	BytesPerItem  = "bytes_per_item"
	ErrorsPerItem = "errors_per_item"
)

// Metric gives the cell's metric of that name.
func (c *Cell) Metric(name string) (Metric, bool) {
	for _, m := range c.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// Setting gives the value of one of the cell's settings; "" for none.
func (c *Cell) Setting(name string) string {
	for _, s := range c.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// Model is a fitted model of the cells, in a form that reports can show whatever
// the model is.
type Model struct {
	Name       string      `json:"name"`
	Of         string      `json:"of"` // the metric that it was fitted to
	Parameters []Parameter `json:"parameters"`
	// Points are what was fitted, Curve the fitted line.
	Points   []Point  `json:"points,omitempty"`
	Curve    []Point  `json:"curve,omitempty"`
	XLabel   string   `json:"x_label,omitempty"`
	YLabel   string   `json:"y_label,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Sentence string   `json:"sentence,omitempty"`
}

// Parameter is one of a model's, with its 95% interval where that is known.
type Parameter struct {
	Name  string   `json:"name"`
	Unit  string   `json:"unit"`
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Point is a measured or computed point of a curve.
type Point struct {
	X        float64  `json:"x"`
	Y        float64  `json:"y"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Residual *float64 `json:"residual,omitempty"`
}

// Recommendation is the answer to which setting to choose.
type Recommendation struct {
	Setting string `json:"setting"`
	Value   string `json:"value"` // "" when nothing can be recommended
	// Sentence says the choice, Rule how it was made, Why each step that led to it.
	Sentence string   `json:"sentence"`
	Rule     string   `json:"rule"`
	Why      []string `json:"why"`
	Warnings []string `json:"warnings,omitempty"`
	// GuardUS is how high the probe's p99 was allowed to be, in microseconds; 0 where there
	// is no such guard.
	GuardUS float64 `json:"guard_us,omitempty"`
	// Front is every candidate with what it costs and gives.
	Front []Candidate `json:"front,omitempty"`
}

// Candidate is one setting on the front.
type Candidate struct {
	Value   string   `json:"value"`
	Metrics []Metric `json:"metrics"`
	Allowed bool     `json:"allowed"` // within the guard
	Chosen  bool     `json:"chosen,omitempty"`
	Note    string   `json:"note,omitempty"`
}
