package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"volley/loadgen"
	"volley/results"
	"volley/scenario"
)

// calibrationFormat is the version of what is stored. Another is none at all.
const calibrationFormat = 1

// calibration is what this machine's generator can do with a plan's calls, as it is
// stored. Rates are per second, latencies in microseconds.
type calibration struct {
	Format   int       `json:"format"`
	Made     time.Time `json:"made"`
	Scenario string    `json:"scenario"` // by name, for people
	ForS     float64   `json:"for_s"`    // the time that it was given
	calibrationKey
	EntriesPerCall float64           `json:"entries_per_call"`
	Environment    map[string]string `json:"environment"`
	Closed         closedTrial       `json:"closed_loop"`
	Ceiling        ceiling           `json:"ceiling"`
	Floor          floor             `json:"floor"`
	LateLimitUS    int64             `json:"late_limit_us"` // that trials were held to
	Trials         []openTrial       `json:"trials"`
}

// ceiling is the highest rate at which the generator kept its schedule, and the lowest
// at which it did not, in calls and in entries; 0: none was met.
type ceiling struct {
	Held           float64 `json:"held_calls_per_s"`
	NotHeld        float64 `json:"not_held_calls_per_s"`
	HeldEntries    float64 `json:"held_entries_per_s"`
	NotHeldEntries float64 `json:"not_held_entries_per_s"`
}

// floor is what the calls cost at a rate at which nothing waits.
type floor struct {
	CallsPerS float64 `json:"calls_per_s"`
	results.Distributions
}

// closedTrial is what a closed loop reached.
type closedTrial struct {
	Callers     int     `json:"callers"`
	CallsPerS   float64 `json:"calls_per_s"`
	EntriesPerS float64 `json:"entries_per_s"`
	CPUFraction float64 `json:"cpu_fraction"`
}

// openTrial is one rate that was tried.
type openTrial struct {
	CallsPerS   float64 `json:"calls_per_s"` // asked
	Held        bool    `json:"held"`
	Why         string  `json:"why,omitempty"` // not held
	SentShare   float64 `json:"sent_share"`    // in time, of what was planned
	LatenessP99 int64   `json:"lateness_p99_us"`
	CPUFraction float64 `json:"cpu_fraction"`
}

// calibrationKey is what a calibration holds for: calls of one shape over one
// transport, from one machine.
type calibrationKey struct {
	Shape     callShape         `json:"shape"`
	Transport string            `json:"transport"`
	Machine   map[string]string `json:"machine"`
}

// callShape is what about a plan decides what its calls cost the generator.
type callShape struct {
	Dialect       string               `json:"dialect"`
	Form          scenario.Form        `json:"form"`
	Size          scenario.Dist        `json:"size"`
	Items         scenario.Dist        `json:"items"`
	Notifications float64              `json:"notifications"`
	BytesPerCall  float64              `json:"bytes_per_call"` // to two digits: other names in the mix do not make another shape
	Arrivals      string               `json:"arrivals"`
	InFlight      int                  `json:"in_flight"`
	Connections   scenario.Connections `json:"connections"`
}

// keyOf gives the key of a plan on the machine that env describes.
func keyOf(plan *scenario.Plan, env map[string]string) (calibrationKey, error) {
	drawn := *plan
	drawn.Seed, drawn.Malformed = 1, 0 // as for every plan, and as calls are calibrated
	bytes, err := loadgen.MeanBytes(&drawn)
	if err != nil {
		return calibrationKey{}, err
	}
	k := calibrationKey{
		Shape: callShape{
			Dialect: plan.Target.Dialect, Form: plan.Form, Size: plan.Size, Items: plan.Items,
			Notifications: plan.Notifications, BytesPerCall: twoDigits(bytes),
			Arrivals: peakArrivals(plan), InFlight: plan.InFlight, Connections: plan.Target.Connections,
		},
		Transport: plan.Target.Transport,
		Machine:   fingerprint(env),
	}
	return k, nil
}

// fingerprint is what of an environment makes another generator of it.
func fingerprint(env map[string]string) map[string]string {
	machine := map[string]string{}
	for _, key := range []string{"arch", "cpu", "cpu_quota", "cpus", "generator_cpus", "gomaxprocs", "kernel", "os", "virtualised", "volley"} {
		if v, ok := env[key]; ok {
			machine[key] = v
		}
	}
	return machine
}

func twoDigits(v float64) float64 {
	if v <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Round(math.Round(v/unit) * unit)
}

// peak is the phase with the highest rate among the measured ones that have one, in
// calls/s; nil: none has.
func peak(plan *scenario.Plan) (phase *scenario.Phase, callsPerS float64) {
	for i := range plan.Phases {
		p := &plan.Phases[i]
		if rate := max(p.Rate.Value, p.To) / perCall(plan, p.Rate.Unit); p.Measured && p.Callers == 0 && rate > callsPerS {
			phase, callsPerS = p, rate
		}
	}
	return phase, callsPerS
}

// perCall is how many of a unit one call carries, on the average.
func perCall(plan *scenario.Plan, u scenario.Unit) float64 {
	n := 1.0
	if plan.Form == scenario.Batch && u != scenario.Calls {
		n = plan.Size.Mean()
	}
	if u == scenario.Items {
		switch plan.Form {
		case scenario.Batch:
			n *= plan.Items.Mean()
		case scenario.Array:
			n = plan.Size.Mean()
		}
	}
	return n
}

// peakArrivals is how the calls of the plan's peak come; what has no spread of its own
// (a closed loop, a replay) counts as constant.
func peakArrivals(plan *scenario.Plan) string {
	if p, _ := peak(plan); p != nil && p.Arrivals != "replay" {
		return p.Arrivals
	}
	return "constant"
}

// file gives where a calibration is stored.
func (k *calibrationKey) file(dir string) (string, error) {
	text, err := json.Marshal(k) // maps come sorted
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return filepath.Join(dir, "calibration-"+hex.EncodeToString(sum[:8])+".json"), nil
}

// calibrationDir is where calibrations are stored.
func calibrationDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no directory for calibrations: %w", err)
	}
	return filepath.Join(dir, "volley"), nil
}

// store writes a calibration in place of the one before.
func (c *calibration) store(dir string) (path string, err error) {
	if path, err = c.file(dir); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	temporary, err := os.CreateTemp(dir, ".calibration-*")
	if err != nil {
		return "", err
	}
	_, err = temporary.Write(append(text, '\n'))
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return "", err
	}
	return path, nil
}

// tilde writes ~ for the user's home directory, which is nobody's business where results
// are passed on.
func tilde(text string) string {
	home, err := os.UserHomeDir()
	if home = filepath.Clean(home); err != nil || home == string(filepath.Separator) {
		return text
	}
	return strings.ReplaceAll(text, home+string(filepath.Separator), "~"+string(filepath.Separator))
}

// errNotCalibrated says that a key has no calibration.
var errNotCalibrated = errors.New("not calibrated")

// loadCalibration reads that of a key. The error is errNotCalibrated, or says what is
// wrong with the file.
func loadCalibration(dir string, k calibrationKey) (*calibration, error) {
	path, err := k.file(dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotCalibrated
	}
	if err != nil {
		return nil, err
	}
	var c calibration
	broken := func(format string, args ...any) error { return &brokenCalibration{path, fmt.Sprintf(format, args...)} }
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, broken("is no calibration: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	switch {
	case c.Format != calibrationFormat:
		return nil, broken("has format %d, not %d", c.Format, calibrationFormat)
	case !reflect.DeepEqual(c.calibrationKey, k):
		return nil, broken("is of other calls or of another machine than its name says")
	case !(c.Ceiling.Held >= 0) || c.Ceiling.Held > 1e9:
		return nil, broken("has a ceiling of %g calls/s", c.Ceiling.Held)
	}
	return &c, nil
}

// calibrated looks up what a run has to know of its generator on the machine that env
// describes. What is wrong with a stored calibration is in it, and told.
func calibrated(plan *scenario.Plan, env map[string]string, warn func(string)) *results.Calibration {
	c := &results.Calibration{}
	_, c.Asked = peak(plan)
	stored, err := findCalibration(plan, env)
	switch {
	case errors.Is(err, errNotCalibrated):
		c.Missing = "none for these calls from these CPUs of this machine: volley calibrate measures what the generator itself can do with them"
	case err != nil:
		c.Missing = tilde(err.Error())
		var broken *brokenCalibration
		if errors.As(err, &broken) && warn != nil {
			warn("calibration ignored: " + err.Error())
		}
	case stored.Ceiling.Held == 0:
		c.Missing = "made on " + stored.Made.Format(time.DateOnly) + ", but no rate was held then: calibrate again"
	default:
		c.Made = &stored.Made
		c.Held, c.NotHeld = stored.Ceiling.Held, stored.Ceiling.NotHeld
		c.LateLimitUS = stored.LateLimitUS
		c.FloorP50US, c.FloorP99US = stored.Floor.Response.P50, stored.Floor.Response.P99
	}
	return c
}

func findCalibration(plan *scenario.Plan, env map[string]string) (*calibration, error) {
	if err := calibratable(&plan.Target); err != nil {
		return nil, err
	}
	dir, err := calibrationDir()
	if err != nil {
		return nil, err
	}
	key, err := keyOf(plan, env)
	if err != nil {
		return nil, err
	}
	return loadCalibration(dir, key)
}

// brokenCalibration is a file that is no calibration of its key.
type brokenCalibration struct{ path, why string }

func (b *brokenCalibration) Error() string { return b.path + " " + b.why }
