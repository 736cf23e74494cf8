package reports

import (
	"cmp"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// link is a file of the result folder that a page offers.
type link struct {
	Text string
	Href string // relative to the page
}

// href is the address of a path with slashes, relative to the page.
func href(name string) string { return (&url.URL{Path: name}).String() }

// folder knows which files a page in it may link to: those that exist and that belong
// to its results. A file of an earlier run is no news about this one.
type folder struct {
	dir   string
	names []string
}

func newFolder(dir string, r Results, all evidences) folder {
	f := folder{dir: dir}
	for _, o := range outputs(dir, r, all) {
		if o.write != nil {
			f.names = append(f.names, o.name)
		}
	}
	return f
}

func (f folder) exists(name string) bool {
	rel := filepath.FromSlash(name)
	if !filepath.IsLocal(rel) {
		return false
	}
	info, err := os.Stat(filepath.Join(f.dir, rel))
	return err == nil && info.Mode().IsRegular()
}

// in lists the files of one folder with one of some endings.
func (f folder) in(dir string, endings ...string) (out []link) {
	for _, name := range f.names {
		if path.Dir(name) == dir && slices.Contains(endings, path.Ext(name)) && f.exists(name) {
			out = append(out, link{path.Base(name), href(name)})
		}
	}
	return out
}

// ofCell lists the recorded run of one strategy, and its trace.
func (f folder) ofCell(s results.Strategy) (out []link) {
	if s.History == "" || !f.exists(s.History) {
		return nil
	}
	out = append(out, link{path.Base(s.History), href(s.History)})
	trace := path.Join(path.Dir(s.History), "trace.json")
	if slices.Contains(f.names, trace) && f.exists(trace) {
		out = append(out, link{"trace.json", href(trace)})
	}
	return out
}

// ofScenario lists its charts.
func (f folder) ofScenario(sc results.Scenario, many bool) []link {
	if many {
		return f.in(chartFolder(sc), ".png")
	}
	return f.in(".", ".png")
}

// ofRun lists the files about all scenarios.
func (f folder) ofRun(many bool) []link {
	endings := []string{".json", ".xml"}
	if many {
		endings = append(endings, ".png")
	}
	return f.in(".", endings...)
}

// agreement is the address of the page that compares this folder's report with
// others; "" if there is none. The folder above may hold the page of another run:
// only one that links here is about this folder.
func (f folder) agreement() string {
	abs, err := filepath.Abs(f.dir)
	if err != nil {
		return ""
	}
	page, err := os.ReadFile(filepath.Join(filepath.Dir(abs), AgreementPage))
	here := `href="` + template.HTMLEscapeString(href(path.Join(filepath.Base(abs), ReportFile))) + `"`
	if err != nil || !strings.Contains(string(page), here) {
		return ""
	}
	return "../" + AgreementPage
}

// madeView says which program made the results, and when.
type madeView struct {
	results.Made
	When string // the date for people; as it is if it is not one
}

func newMadeView(m *results.Made) *madeView {
	if m == nil {
		return nil
	}
	v := &madeView{*m, m.Date}
	if t, err := time.Parse(time.RFC3339, m.Date); err == nil {
		v.When = t.UTC().Format("2 January 2006, 15:04 UTC")
	}
	return v
}

// matrixFacts say what stands behind each cell of the matrix.
func matrixFacts(r Results) (facts []string) {
	var runs []int
	var leases []float64
	for _, sc := range r.Scenarios {
		if sc.LeaseMS > 0 {
			leases = append(leases, sc.LeaseMS)
		}
		for _, s := range sc.Strategies {
			runs = append(runs, s.Runs)
		}
	}
	if len(runs) > 0 {
		facts = append(facts, "each cell: "+between(runs, func(n int) string { return text.Count(n, "run") }))
	}
	if len(leases) > 0 {
		facts = append(facts, "lease "+between(leases, exactMillis))
	}
	if r.Made != nil {
		facts = append(facts, "simrun "+r.Made.Simrun)
	}
	return facts
}

// between writes the range of some quantities: "10 runs", "1 run to 10 runs".
func between[T cmp.Ordered](all []T, write func(T) string) string {
	low, high := slices.Min(all), slices.Max(all)
	if low == high {
		return write(low)
	}
	return write(low) + " to " + write(high)
}
