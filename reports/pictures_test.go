package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
)

// textsOf returns what a picture says, in the order in which it is drawn.
func textsOf(t *testing.T, pic *picture) (texts []string) {
	t.Helper()
	if pic == nil {
		t.Fatal("no picture")
	}
	var rec recorder.Canvas
	c := draw.Crop(draw.NewCanvas(&rec, pic.width, pic.height), chartMargin, -chartMargin, chartMargin, -chartMargin)
	pic.draw(c)
	turned := false
	for _, a := range rec.Actions {
		switch a.(type) {
		case *recorder.Rotate:
			turned = true
		case *recorder.Pop:
			turned = false
		}
		if f, ok := a.(*recorder.FillString); ok {
			texts = append(texts, f.String)
			if wide := textWidth(f.String, f.Size); !turned && (f.Point.X < 0 || f.Point.Y < 0 || f.Point.Y > pic.height || f.Point.X > pic.width || wide > pic.width) {
				t.Errorf("%q is outside the picture", f.String)
			}
		}
	}
	return texts
}

// matrix has two scenarios and locks of every level.
func matrix() Results {
	cell := func(name string, runs, broken int, property string) results.Strategy {
		s := results.Strategy{Name: name, Runs: runs, BrokenRuns: broken}
		if property != "" {
			s.Violations = map[string]results.Breach{property: {Runs: broken, Count: 7 * broken}}
		}
		s.JudgeGuarantee(true)
		return s
	}
	thin := cell("thin", 200, 0, "")
	thin.Guarantee = results.Unclear
	return Results{
		Mode: "sim", Made: &results.Made{Simrun: "v9.8.7"},
		Scenarios: []results.Scenario{
			{Name: "expiry", LeaseMS: 30000, Strategies: []results.Strategy{
				cell("naive", 200, 199, "stale-write"), cell("watchdog", 200, 0, ""), cell("capped", 20, 1, "overlap"), thin}},
			{Name: "crash", LeaseMS: 1500, Strategies: []results.Strategy{
				cell("naive", 200, 1, "stuck"), cell("watchdog", 200, 100, "late-notice")}},
		},
	}
}

func TestHeatMapSaysWhatItShows(t *testing.T) {
	got := textsOf(t, heatMap(matrix()))
	want := []string{
		"The worst that each lock let happen", "20 to 200 runs per cell · virtual time · simrun v9.8.7",
		"holds: nothing broke", "misled: told late or wrong", "blocked: clients kept out", "intruded: exclusion lost",
		"corrupted: wrong data written", "unknown: too little evidence",
		"scenario", "lease", "naive", "watchdog", "capped", "thin",
		"expiry", "30 s", "corrupted", "holds", "intruded (20 runs)", "unknown",
		"crash", "1.5 s", "blocked", "misled", "not run", "not run",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	r := matrix()
	r.Scenarios[0].Strategies = r.Scenarios[0].Strategies[:2]
	r.Scenarios[1].Strategies = r.Scenarios[1].Strategies[:1]
	r.Mode, r.Interrupted = "live", true
	got = textsOf(t, heatMap(r))
	if all := strings.Join(got, "|"); strings.Contains(all, "misled") || strings.Contains(all, "unknown:") ||
		!strings.Contains(all, "200 runs per cell · live · simrun v9.8.7 · interrupted") {
		t.Errorf("the legend has what does not occur, or the note is wrong: %s", all)
	}
}

func TestBrokenChartIsInPercent(t *testing.T) {
	got := textsOf(t, brokenChart(matrix()))
	i := slices.Index(got, "expiry")
	if d := cmp.Diff([]string{"expiry", "> 99 %", "0 %", "5 %", "?", "crash", "< 1 %", "50 %", "not run", "not run"}, got[i:]); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	r := matrix()
	r.Scenarios[1].Strategies[1].BrokenRuns = 0
	if got := textsOf(t, brokenChart(r)); !slices.Contains(got, "≥ 50 %") {
		t.Errorf("a file without broken_runs is taken at its word: %q", got)
	}
	for i := range r.Scenarios {
		for j := range r.Scenarios[i].Strategies {
			r.Scenarios[i].Strategies[j] = results.Strategy{Name: "a", Runs: 5, Guarantee: results.Holds}
		}
	}
	if brokenChart(r) != nil {
		t.Error("a chart in which nothing is broken")
	}
}

func TestPercentText(t *testing.T) {
	for _, tt := range []struct {
		n, of int
		want  string
	}{
		{0, 100, "0 %"}, {1, 1000, "< 1 %"}, {9, 1000, "< 1 %"}, {10, 1000, "1 %"}, {1, 3, "33 %"}, {990, 1000, "99 %"}, {999, 1000, "> 99 %"}, {1000, 1000, "100 %"}, {0, 0, "0 %"},
	} {
		if got := percentText(tt.n, tt.of); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.n, tt.of, got, tt.want)
		}
	}
}

// Two properties of very different counts have bars of the same scale.
func TestViolationsAreSharesOfRuns(t *testing.T) {
	rows := violationRows([]results.Strategy{{
		Name: "naive", Runs: 10, Guarantee: results.Broken,
		Violations: map[string]results.Breach{"overlap": {Runs: 10, Count: 90000}, "leak": {Runs: 5, Count: 5}},
	}, {Name: "idle"}})
	want := []shareRow{
		{"overlap", []share{{Of: 1, Text: "100 %", Runs: "10 of 10 runs"}, {Text: "?", Runs: "too little evidence", missing: true}}},
		{"leak", []share{{Of: 0.5, Text: "50 %", Runs: "5 of 10 runs"}, {Text: "?", Runs: "too little evidence", missing: true}}},
	}
	if d := cmp.Diff(want, rows, cmp.AllowUnexported(share{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestWaitsOfBrokenLocksAreNoWin(t *testing.T) {
	line := func(name string, g results.Guarantee, top float64) results.Strategy {
		s := results.Strategy{Name: name, Guarantee: g}
		for i := range 101 {
			s.WaitCDF = append(s.WaitCDF, top*float64(i)/100)
		}
		return s
	}
	sc := results.Scenario{Name: "x", Strategies: []results.Strategy{
		line("naive", results.Broken, 100), line("token", results.Broken, 100), line("watchdog", results.Holds, 1000),
		line("capped", results.Holds, 1001), line("alike", results.Broken, 1000), line("thin", results.Unclear, 500),
	}}
	var labels []string
	groups := newWaitAxis(sc.Strategies).groups(sc.Strategies)
	for _, g := range groups {
		labels = append(labels, g.Label)
	}
	want := []string{"naive = token (broken)", "watchdog ≈ capped", "alike (broken)", "thin (unknown)"}
	if d := cmp.Diff(want, labels); d != "" {
		t.Fatalf("-want +got:\n%s", d)
	}
	if groups[1].dashes() != nil || groups[0].dashes() == nil || slices.Equal(groups[0].dashes(), groups[2].dashes()) {
		t.Error("broken locks must have dashes of their own, and the first that holds none")
	}
	drawn := strings.Join(textsOf(t, waitsChart(sc)), "|")
	view := newWaitsView(sc.Strategies)
	for _, label := range want {
		if !strings.Contains(drawn, label) || !slices.ContainsFunc(view.Lines, func(l waitLine) bool { return l.Name == label }) {
			t.Errorf("%s is not in the legend of the picture and the page", label)
		}
	}
	if !strings.Contains(drawn, waitsNote(groups)) || view.Note == "" {
		t.Error("no word on the waits of broken locks")
	}
	if note := waitsNote(groups[1:2]); note != "" {
		t.Errorf("a note without a broken lock: %s", note)
	}
}

// A chart that would be empty is not drawn, neither as a picture nor on the page,
// and what an earlier run drew there goes.
func TestEmptyChartsAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "violations.png")
	if err := os.WriteFile(old, []byte("of an earlier run"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := Results{Version: 1, Scenarios: []results.Scenario{{Name: "x", Strategies: []results.Strategy{
		{Name: "a", Runs: 3, Guarantee: results.Holds, InsideMS: 70, WaitCDF: make([]float64, 101)},
	}}}}
	paths, err := Write(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if filepath.Ext(p) == ".png" {
			t.Errorf("%s is written", p)
		}
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("a chart of an earlier run is left: %v", err)
	}
	page, err := os.ReadFile(filepath.Join(dir, ReportFile))
	if err != nil || bytes.Contains(page, []byte("<figure")) {
		t.Errorf("the page has an empty figure: %v", err)
	}
	for _, name := range []string{"violations.png", "waits.png", "time.png", "timeline.png"} {
		if !slices.Contains(Files(r), name) {
			t.Errorf("Files does not list %s, which may be written", name)
		}
	}
}

func TestTimelineNamesItsFaults(t *testing.T) {
	h := history.Header{Scenario: "x", Strategy: "y"}
	fault := func(seq int, at int64, kind history.Kind, id, client string) history.Event {
		return history.Event{Seq: seq, At: at, Kind: kind, Fault: id, Client: client}
	}
	events := []history.Event{
		{Seq: 1, At: 0, Kind: history.Waiting, Client: "A"},
		fault(2, 1*sec, history.Fired, "1:pause", "A"), fault(3, 1*sec, history.Fired, "2:pause", "B"),
		fault(4, 2*sec, history.Fired, "3:failover", ""),
		fault(5, 9*sec, history.Over, "1:pause", "A"), fault(6, 9*sec, history.Over, "2:pause", "B"),
		{Seq: 7, At: 10 * sec, Kind: history.End},
	}
	texts := textsOf(t, timelineChart(newEvidence(h, events, &check.Violation{Property: "stuck", At: 10 * sec, Events: []int{1}})))
	for _, want := range []string{"pause A, B", "failover", "stuck", "fault", "waiting"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not in %q", want, texts)
		}
	}
	for _, never := range []string{"rolling back", "crashed", "owns the key", "inside, lease lost"} {
		if slices.Contains(texts, never) {
			t.Errorf("%q does not occur, but is in the legend", never)
		}
	}
}

func TestTimeTicksAreWholeWhereTheyCan(t *testing.T) {
	for _, tt := range []struct {
		from, to float64
		want     string
	}{
		{0, 55.2, "0 10 20 30 40 50"}, {40.3, 107, "50 60 70 80 90 100"}, {0.2, 1.3, "0.2 0.4 0.6 0.8 1.0 1.2"}, {3, 3, ""},
	} {
		var got []string
		for _, tick := range timeTicks(tt.from, tt.to) {
			got = append(got, tick.Label)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%v to %v: %q, want %q", tt.from, tt.to, s, tt.want)
		}
	}
}

func TestPicturesAreDeterministic(t *testing.T) {
	for name, pic := range map[string]func(Results) *picture{"heat map": heatMap, "broken": brokenChart} {
		var a, b bytes.Buffer
		if err := writePNG(&a, pic(matrix())); err != nil {
			t.Fatal(err)
		}
		if err := writePNG(&b, pic(matrix())); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two drawings differ", name)
		}
	}
}

// Names of locks and scenarios come from others.
func TestLongNamesFit(t *testing.T) {
	r := matrix()
	long := strings.Repeat("long", 40)
	for i := range r.Scenarios {
		r.Scenarios[i].Name += long
		for j := range r.Scenarios[i].Strategies {
			r.Scenarios[i].Strategies[j].Name += long
		}
	}
	for _, pic := range []*picture{heatMap(r), brokenChart(r), violationsChart(r.Scenarios[0])} {
		for _, text := range textsOf(t, pic) {
			if len(text) > 130 {
				t.Errorf("%q is not shortened", text)
			}
		}
	}
}
