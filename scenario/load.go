package scenario

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Load reads the scenario in a file, patched by sets of the form "path=value"
// (load[0].rate=900 entries/s) in their order. Feed files are looked for
// beside the scenario. The error is Problems when the scenario is at fault,
// else what kept the file from being read.
func Load(path string, sets []string) (*Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	return load(source{file: path, dir: filepath.Dir(path), data: data}, sets)
}

// source is a scenario's text and where it came from.
type source struct {
	file, dir string
	data      []byte
}

func load(src source, sets []string) (*Plan, error) {
	src.data = bytes.TrimPrefix(src.data, []byte("\ufeff"))
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	d := &decoder{doc: document{file: src.file, lines: strings.Split(breaks.Replace(string(src.data)), "\n")}, dir: src.dir}
	root, problems := parse(d.doc, src.data)
	d.problems = problems
	if root == nil {
		return nil, d.finish(nil)
	}
	for _, s := range sets {
		if p := applySet(root, s); p != nil {
			d.problems = append(d.problems, *p)
		}
	}
	root.name("")
	plan := d.plan(root)
	if err := d.finish(root); err != nil {
		return nil, err
	}
	plan.Warnings = d.warnings
	return plan, nil
}

// finish sorts the problems and masks secrets in the lines they show.
func (d *decoder) finish(root *node) error {
	if len(d.problems) == 0 {
		return nil
	}
	secrets := secretsOf(root)
	for i := range d.problems {
		p := &d.problems[i]
		p.Source = hide(p.Source, p.Line, secrets)
	}
	d.problems.sort()
	return d.problems
}

// plan decodes the whole document. Its result is of use only without problems.
func (d *decoder) plan(root *node) *Plan {
	f, ok := d.mapping(root, scenarioTable())
	if !ok {
		return nil
	}
	p := &Plan{Name: d.name(f.given("name")), Seed: d.seed(f.or("seed"))}
	if n := f.given("target"); n != nil {
		p.Target = d.target(n)
	}
	if n := f.given("feeds"); n != nil {
		p.Feeds = d.feeds(n)
	}
	p.Phases = d.phases(f.given("load"))
	p.Form = Form(d.word(f.or("form"), forms()))
	p.Notifications = d.share(f.or("notifications"))
	p.Malformed = d.share(f.or("malformed"))
	p.Mix = d.mix(f.given("mix"), p.Target.Dialect, f.given("feeds"))
	d.sizes(p, f)
	p.Objectives = d.objectives(f.given("slo"))
	if n := f.given("expect"); n != nil {
		p.Expect = d.expect(n)
	}
	p.Timeout = d.duration(f.or("timeout"), time.Millisecond)
	p.Drain = d.duration(f.or("drain"), 0)
	p.InFlight = d.whole(f.or("in_flight"), 1, 1<<16)
	if len(d.problems) == 0 {
		d.remarks(p)
	}
	return p
}

// name falls back on the file's own.
func (d *decoder) name(n *node) string {
	if n != nil {
		return d.text(n)
	}
	base := filepath.Base(d.doc.file)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return "scenario"
}

// remarks warns of what is allowed but may surprise.
func (d *decoder) remarks(p *Plan) {
	if a := p.Target.Authorised; a != nil {
		for _, ph := range p.Phases {
			if r := max(ph.Rate.Value, ph.To) * p.entriesPer(ph.Rate.Unit); r > a.MaxRate.Value {
				d.warn("phase %q asks for %s entries/s: authorised.max_rate holds it at %s", ph.Name, rounded(r), decimal(a.MaxRate.Value))
			}
		}
	}
	if len(p.Target.Node) > 0 && !p.Target.bundled() {
		d.warn("target.node is not used: it configures the bundled node, and the target is another")
	}
	if len(p.Target.NodeCPUs) > 0 && p.Target.URL != "" {
		d.warn("target.node_cpus is not used: it places a node that the run starts, not the one at the url")
	}
	if p.Target.Dialect == "near" && p.Form == Batch {
		for _, m := range p.Mix {
			if m.Method != "query" {
				d.warn("NEAR runs only query inside a batch: method %s will be answered -32601", m.Method)
			}
		}
	}
}

// entriesPer is how many entries one of a unit stands for, on the average.
func (p *Plan) entriesPer(u Unit) float64 {
	switch {
	case u == Calls && p.Form == Batch:
		return p.Size.Mean()
	case u == Items && p.Form == Batch:
		return 1 / p.Items.Mean()
	case u == Items && p.Form == Array:
		return 1 / p.Size.Mean()
	}
	return 1
}

func rounded(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }
