package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"volley/results"
	"volley/results/report"
	"volley/results/study"
)

// document is a stored run or experiment, ready to be written in every form.
type document interface {
	Text(io.Writer) error
	HTML(io.Writer) error
	Markdown(io.Writer) error
	JSON(io.Writer) error
	CSV(io.Writer) error
	JUnit(io.Writer) error
}

var reportFormats = []string{"text", "html", "md", "json", "csv", "junit"}

func reportCommand(s streams) *cobra.Command {
	var asJSON bool
	var format, out string
	c := &cobra.Command{
		Use:   "report RUN|EXPERIMENT",
		Short: "Report a stored run or experiment, also one that was cut off",
		Long: `Report what a run or an experiment (search, sweep, compare) stored in its directory,
also while it goes on and after it was killed; the report says so.

  text    for a terminal
  html    one file for a browser: no script, no network, under 1 MB
  md      for a comment on a pull request
  json    run.json, search.json and so on, with percentile spectra
  csv     tidy tables: a row for each interval and phase of a run, each cell of a sweep,
          each trial of a search, each metric of a comparison
  junit   each objective and self-check as a test case, for CI

Exit codes: 0 reported, whatever the run came to; 2 nothing there that can be reported;
5 our own failure, such as a full disk.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(reportFormats, format) {
				return &exit{exitUsage, fmt.Errorf("--format %q: want one of %s", format, strings.Join(reportFormats, ", "))}
			}
			if asJSON {
				return storedSummary(s, args[0])
			}
			return writeReport(s, args[0], format, out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print run.json as it is stored instead of text")
	c.Flags().StringVar(&format, "format", "text", "`form` of the report: "+strings.Join(reportFormats, ", "))
	c.Flags().StringVar(&out, "out", "", "`file` to write to in place of standard output")
	c.MarkFlagsMutuallyExclusive("json", "format")
	return c
}

func storedSummary(s streams, dir string) error {
	run, err := results.Open(dir)
	if err != nil {
		return &exit{exitUsage, err}
	}
	return printSummary(s, &run.Summary, true)
}

func writeReport(s streams, dir, format, out string) error {
	d, err := openDocument(dir)
	if err != nil {
		return &exit{exitUsage, err}
	}
	write := map[string]func(io.Writer) error{
		"text": d.Text, "html": d.HTML, "md": d.Markdown, "json": d.JSON, "csv": d.CSV, "junit": d.JUnit,
	}[format]
	if out == "" {
		return ours(write(s.out))
	}
	err = writeWhole(out, write)
	switch {
	case errors.Is(err, errPlace):
		return &exit{exitUsage, fmt.Errorf("--out %s: %w", out, err)}
	case err != nil:
		return ours(fmt.Errorf("--out: %w", err))
	}
	return nil
}

// errPlace says that a file cannot be where it was asked for.
var errPlace = errors.New("name a file in a directory that exists")

// openDocument opens a run's directory or an experiment's.
func openDocument(dir string) (document, error) {
	if _, err := os.Stat(filepath.Join(dir, "experiment.json")); err == nil {
		e, err := study.Open(dir)
		if err != nil {
			return nil, err
		}
		return report.OfExperiment(e), nil
	}
	run, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	return report.OfRun(run)
}

// writeWhole writes a file such that its name never stands for half of it.
func writeWhole(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		// A pipe or a device takes what comes.
		if info.IsDir() {
			return errPlace
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if errors.Is(err, fs.ErrNotExist) {
		return errPlace
	}
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func printSummary(s streams, summary *results.Summary, asJSON bool) error {
	if !asJSON {
		return ours(report.Text(s.out, summary))
	}
	return ours(summary.WriteJSON(s.out))
}
