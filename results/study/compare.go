package study

// Compare is compare.json: two settings, or two builds, against each other.
type Compare struct {
	Head
	A string `json:"a"` // what the arm is: its settings, or where its runs are
	B string `json:"b"`
	// Pairs is how many pairs of runs count; 0 when the runs are not in pairs. Lost
	// counts pairs that do not, as one of their trials stayed void.
	Pairs int      `json:"pairs"`
	Lost  int      `json:"lost_pairs,omitempty"`
	RunsA []string `json:"runs_a"` // their directories, by pair where there are pairs
	RunsB []string `json:"runs_b"`
	// Within: there is one run of each arm, and what is told holds within these two.
	Within bool `json:"within_two_runs,omitempty"`
	// Same: both arms have the same settings, so that a difference is noise.
	Same   bool    `json:"same_settings,omitempty"`
	Margin float64 `json:"margin,omitempty"` // the relative change that does not matter; 0: none was given
	// Differ are settings in which the arms differ, as is their purpose: Value is "a -> b".
	// Despite are differences in spite of which they were compared (--anyway).
	Differ  []Setting    `json:"differ"`
	Despite []string     `json:"despite,omitempty"`
	Metrics []Comparison `json:"metrics"` // the one that is judged by itself first
	Rules   []RuleResult `json:"rules,omitempty"`
}

// Comparison is one metric of B relative to A. What is null is not known.
type Comparison struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Better string `json:"better"` // "less" or "more"
	// Primary is judged by itself; the others' P is Holm's over them all.
	Primary bool `json:"primary,omitempty"`
	// Ratio is B over A, Low and High its 95% interval.
	Ratio *float64 `json:"ratio"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	// Shift is B less A, of a metric that may be 0: the share of errors.
	Shift   *Shift   `json:"shift,omitempty"`
	Verdict string   `json:"verdict"`                             // faster, slower, equivalent, inconclusive
	MDE     *float64 `json:"minimal_detectable_effect,omitempty"` // as a ratio's distance from 1
	P       *float64 `json:"p,omitempty"`
	Cliff   *float64 `json:"cliffs_delta,omitempty"`
	// MidA and MidB are the medians of A and B.
	MidA     *float64  `json:"median_a"`
	MidB     *float64  `json:"median_b"`
	A        []float64 `json:"a"` // by run, or by pair
	B        []float64 `json:"b"`
	Sentence string    `json:"sentence"`
	Warnings []string  `json:"warnings,omitempty"`
}

// Shift is a difference with its 95% interval, in the metric's unit; null where so few
// runs have none.
type Shift struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// RuleResult is what became of a rule that the comparison was to keep, such as
// "p99 > +5%".
type RuleResult struct {
	Text     string `json:"text"`
	Broken   bool   `json:"broken"`
	Decided  bool   `json:"decided"` // false: there is no interval to hold against it
	Sentence string `json:"sentence"`
}

// ArmSetting names the setting that tells a comparison's trials apart: "A" or "B".
const ArmSetting = "arm"
