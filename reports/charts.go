package reports

import (
	"cmp"
	_ "embed"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// chart is one PNG file.
type chart struct {
	name  string // path in the result folder, with slashes
	write func(io.Writer) error
}

// charts lists the PNG files of results: a set a scenario, in a folder of the
// scenario's where there is more than one.
func charts(r results.Results, f folder) []chart {
	var all []chart
	for _, sc := range r.Scenarios {
		if len(sc.Strategies) == 0 {
			continue
		}
		prefix := ""
		if len(r.Scenarios) > 1 {
			prefix = chartFolder(sc) + "/"
		}
		all = append(all,
			chart{prefix + "violations.png", func(w io.Writer) error { return ViolationsPNG(w, sc) }},
			chart{prefix + "waits.png", func(w io.Writer) error { return WaitsPNG(w, sc) }},
			chart{prefix + "time.png", func(w io.Writer) error { return TimePNG(w, sc) }},
		)
		for _, s := range sc.Strategies {
			if e := f[cellKey{sc.Name, s.Name}]; e != nil && e.violation != nil {
				all = append(all, chart{prefix + "timeline.png", func(w io.Writer) error {
					return TimelinePNG(w, e.header, e.events, *e.violation)
				}})
				break
			}
		}
	}
	return all
}

// chartFolder is the folder of a scenario's charts, beside its histories: those
// are where no other scenario's are.
func chartFolder(sc results.Scenario) string {
	for _, s := range sc.Strategies {
		if dir, _, deep := strings.Cut(s.History, "/"); deep && dir != "" && filepath.IsLocal(filepath.FromSlash(dir)) {
			return dir
		}
	}
	return cmp.Or(strings.Trim(anchor(sc.Name), ".-"), "scenario")
}
