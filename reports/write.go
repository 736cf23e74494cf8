package reports

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/lockchaos/simrun/internal/results"
)

// Write writes every file of a result folder that [Files] names, except traces and
// timelines without a history and charts that would be empty, and returns their paths. The histories that r names
// must already be in dir. Each file is written whole or not at all; an error in one
// does not keep the others from being written.
func Write(dir string, r Results) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("result folder: %w", err)
	}
	all, err := load(dir, r)
	errs := []error{err}
	var paths []string
	for _, o := range outputs(dir, r, all) {
		path := filepath.Join(dir, filepath.FromSlash(o.name))
		if o.empty {
			// What an earlier run drew there would be taken for this one's.
			_ = os.Remove(path)
		}
		if o.write == nil {
			continue
		}
		// A folder that cannot be made shows when the file is written.
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := writeFile(path, o.write); err != nil {
			errs = append(errs, err)
			continue
		}
		paths = append(paths, path)
	}
	return paths, errors.Join(errs...)
}

// Files lists the files that [Write] may write for results with the scenarios,
// strategies and histories of r: paths in the result folder, with slashes.
func Files(r Results) []string {
	var names []string
	for _, o := range outputs("", r, nil) {
		names = append(names, o.name)
	}
	return names
}

// output is one file of a result folder.
type output struct {
	name  string                // path in the folder, with slashes
	write func(io.Writer) error // nil if its history is missing or it is empty
	empty bool                  // a chart of nothing
}

// outputs lists the files in the order in which they are written: report.html is
// last, so that everything it refers to exists at that place.
func outputs(at string, r Results, all evidences) []output {
	out := []output{
		{name: ResultsFile, write: func(w io.Writer) error { return encode(w, r) }},
		{name: JUnitFile, write: func(w io.Writer) error { return writeJUnit(w, r, all) }},
	}
	if len(r.Scenarios) > 1 && len(strategyNames(r)) > 0 {
		out = append(out, chart(HeatMapFile, heatMap(r)), chart(BrokenFile, brokenChart(r)))
	}
	for _, sc := range r.Scenarios {
		dir := "" // of the charts: a folder of its own if the scenario is one of many
		if len(r.Scenarios) > 1 {
			dir = chartFolder(sc) + "/"
		}
		lanes := output{name: dir + "timeline.png", empty: !slices.ContainsFunc(sc.Strategies, func(s results.Strategy) bool { return s.FirstViolation != nil })}
		for _, s := range sc.Strategies {
			if s.History == "" {
				continue
			}
			trace := output{name: path.Join(path.Dir(s.History), "trace.json")}
			if e := all[cellKey{sc.Name, s.Name}]; e != nil {
				trace.write = func(w io.Writer) error { return writeTrace(w, e) }
				if e.violation != nil && lanes.write == nil {
					lanes = chart(lanes.name, timelineChart(e))
				}
			}
			out = append(out, trace)
		}
		if len(sc.Strategies) > 0 {
			out = append(out, lanes,
				chart(dir+"violations.png", violationsChart(sc)),
				chart(dir+"waits.png", waitsChart(sc)),
				chart(dir+"time.png", timeChart(sc)))
		}
	}
	return append(out, output{name: ReportFile, write: func(w io.Writer) error { return writeHTML(w, at, r, all) }})
}

// chart is the file of a picture; nil is one of nothing.
func chart(name string, pic *picture) output {
	if pic == nil {
		return output{name: name, empty: true}
	}
	return output{name: name, write: func(w io.Writer) error { return writePNG(w, pic) }}
}

// chartFolder is where a scenario's charts are: with its histories, whose folder
// no other scenario uses.
func chartFolder(sc results.Scenario) string {
	for _, s := range sc.Strategies {
		if dir, _, deep := strings.Cut(s.History, "/"); deep && filepath.IsLocal(filepath.FromSlash(dir)) {
			return dir
		}
	}
	return cmp.Or(strings.Trim(anchor(sc.Name), ".-"), "scenario")
}

// writeFile writes a file under a temporary name and renames it: neither a reader
// nor an interrupted run sees half a file.
func writeFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	if err == nil {
		err = maybe.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
