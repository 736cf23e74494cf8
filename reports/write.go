package reports

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// Paths names the files that [WriteAll] wrote.
type Paths struct {
	Results, Report, JUnit string
	Charts                 []string // PNG
	Traces                 []string // one a history
}

// WriteAll writes every file of a result folder: results.json, report.html,
// junit.xml, the PNG charts (each scenario's in a folder of its own where there
// are many), and a trace.json beside each history. The
// histories that r names must already be in dir. Each file is written whole or
// not at all; an error in one does not keep the others from being written.
func WriteAll(dir string, r results.Results) (Paths, error) {
	var p Paths
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return p, fmt.Errorf("result folder: %w", err)
	}
	histories, err := load(dir, r)
	errs := []error{err}
	file := func(name string, write func(io.Writer) error) string {
		path := filepath.Join(dir, name)
		// A folder that cannot be made shows when the file is written.
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := writeFile(path, write); err != nil {
			errs = append(errs, err)
			return ""
		}
		return path
	}
	p.Results = file(ResultsFile, func(w io.Writer) error { return EncodeResults(w, r) })
	p.JUnit = file(JUnitFile, func(w io.Writer) error { return JUnit(w, r) })
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			e := histories[cellKey{sc.Name, s.Name}]
			if e == nil {
				continue
			}
			if path := file(tracePath(s.History), e.trace); path != "" {
				p.Traces = append(p.Traces, path)
			}
		}
	}
	for _, c := range charts(r, histories) {
		if path := file(filepath.FromSlash(c.name), c.write); path != "" {
			p.Charts = append(p.Charts, path)
		}
	}
	// The report comes last: who finds it finds all that it speaks of.
	p.Report = file(ReportFile, func(w io.Writer) error { return writeHTML(w, r, histories) })
	return p, errors.Join(errs...)
}

func (e *evidence) trace(w io.Writer) error {
	var vs []check.Violation
	if e.violation != nil {
		vs = append(vs, *e.violation)
	}
	return Trace(w, e.header, e.events, vs...)
}

// tracePath puts a trace beside its history: "a/history.jsonl" has
// "a/trace.json", and "a/x.jsonl" has "a/x.trace.json".
func tracePath(history string) string {
	dir, base := filepath.Split(filepath.FromSlash(history))
	if prefix, ok := strings.CutSuffix(base, "history.jsonl"); ok {
		return dir + prefix + "trace.json"
	}
	return dir + strings.TrimSuffix(base, ".jsonl") + ".trace.json"
}
