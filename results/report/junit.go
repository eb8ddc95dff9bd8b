package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"volley/results"
	"volley/results/selfcheck"
)

// The form is the one that CI systems read: suites of cases, each passed, failed or
// skipped with a message.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitSuite struct {
	junitCounts
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
}

// add counts a case. Its texts may be as others wrote them.
func (s *junitSuite) add(c junitCase) {
	c.Class, c.Name, c.Out = short(results.Escape(c.Class), 200), short(results.Escape(c.Name), 300), strings.TrimSuffix(escapeLines(c.Out), "\n")
	for _, m := range []*junitMessage{c.Failure, c.Skipped} {
		if m != nil {
			m.Message = short(results.Escape(m.Message), mostText)
		}
	}
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func newSuite(name string, started time.Time, took float64) *junitSuite {
	s := &junitSuite{Timestamp: started.UTC().Format("2006-01-02T15:04:05")}
	s.Name, s.Time = short(results.Escape(name), 200), fmt.Sprintf("%.3f", took)
	return s
}

func (s *junitSuite) write(w io.Writer) error {
	all := junitSuites{Suites: []junitSuite{*s}, junitCounts: s.junitCounts}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(xml.Header), append(text, '\n')...))
	return err
}

// JUnit writes each objective and each self-check as a test case, and the run's own end
// as one. An objective of a run that is void, cut off or still going on is skipped: it
// proves nothing of the node.
func (r *Run) JUnit(w io.Writer) error {
	s := r.Summary
	suite := newSuite(s.Name, s.Started, lengthOf(s).Seconds())
	suite.add(runCase(s))
	for i := range s.Objectives {
		suite.add(objectiveCase(s, &s.Objectives[i]))
	}
	for _, c := range s.Checks {
		suite.add(checkCase(c))
	}
	return suite.write(w)
}

func runCase(s *results.Summary) junitCase {
	c := junitCase{Class: "run", Name: "the run was carried out and its figures can be used"}
	switch s.Status {
	case results.Void:
		c.Failure = &junitMessage{"void: " + s.VoidReason, "void"}
	case results.Cut:
		c.Failure = &junitMessage{"the run was cut off", "cut"}
	case results.Interrupted:
		c.Failure = &junitMessage{"the run was told to stop before its plan was through", "interrupted"}
	case results.Running:
		c.Skipped = &junitMessage{Message: "the run is still going on"}
	}
	c.Out = strings.Join(lead(s), "\n")
	return c
}

func objectiveCase(s *results.Summary, o *results.ObjectiveResult) junitCase {
	c := junitCase{Class: "objectives", Name: o.Text}
	found := "found: " + value(*o)
	if p := proof(o); p != "" {
		found += "; " + p
	}
	switch {
	case s.Status == results.Void:
		c.Skipped = &junitMessage{Message: "the run is void; " + found}
	case s.Partial():
		c.Skipped = &junitMessage{Message: "the run is not complete; so far " + found}
	case !o.Met:
		c.Failure = &junitMessage{found, "objective missed"}
	default:
		c.Out = found
	}
	return c
}

func checkCase(k selfcheck.Check) junitCase {
	c := junitCase{Class: "self-checks", Name: k.Name}
	if k.Phase != "" {
		c.Name += ", phase " + k.Phase
	}
	switch k.Verdict {
	case selfcheck.OK:
	case selfcheck.NotEnough:
		c.Skipped = &junitMessage{Message: "not enough data: " + k.Sentence}
	case selfcheck.Warn:
		c.Out = "warning: " + k.Sentence
	default:
		c.Failure = &junitMessage{k.Sentence, "void"}
	}
	return c
}
