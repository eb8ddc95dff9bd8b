package experiment

import (
	"context"
	"time"

	"volley/results"
	"volley/results/study"
	"volley/scenario"
)

// Lab makes single trials. It is for one goroutine.
type Lab interface {
	// Prepare brings the node to what the spec asks for and to rest. What is to be
	// known of it, such as gauges that did not come to rest in time, is returned as
	// notes. An error ends the experiment.
	Prepare(ctx context.Context, s *Spec) (notes []Note, err error)
	// Run makes the trial into dir, which it creates, and says what the directory does
	// not. An error ends the experiment; a run that is void is none.
	Run(ctx context.Context, s *Spec, dir string) (Made, error)
}

// Note is something to be known of a trial's preparation.
type Note struct {
	NotIdle bool // the node's gauges did not come to rest
	Text    string
}

// Spec is one trial that is to be made.
type Spec struct {
	Plan  *scenario.Plan
	Probe *scenario.Plan // run beside it, its measured phase within the plan's; nil: none
	// Settings are what is varied; they name the trial for people.
	Settings []study.Setting
	// Placeholders are what the target's own commands are told, by name.
	Placeholders map[string]string
	Purpose      string
	Load         float64
	Block        int
	// Fresh asks for the node as new, although it has the settings already: started
	// anew, or brought to them again.
	Fresh bool
}

// Length is how long the trial's plan takes without its drain.
func (s *Spec) Length() time.Duration {
	var length time.Duration
	for _, p := range s.Plan.Phases {
		length += p.For
	}
	return length
}

// Made is what a run's directory does not tell.
type Made struct {
	Summary results.Summary
	NodeCPU *float64 // seconds; nil where it is not known
	Probed  bool     // the probe's run is stored
}
