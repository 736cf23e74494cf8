package reports

import (
	"bytes"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/results"
)

var hrefOf = regexp.MustCompile(` href="([^"]*)"`)

// links reads where a page leads to, and fails if one of the places does not exist.
func links(t *testing.T, page string) []string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range hrefOf.FindAllStringSubmatch(string(b), -1) {
		to := html.UnescapeString(m[1])
		if to == "data:," {
			continue
		}
		out = append(out, to)
		u, err := url.Parse(to)
		if err != nil || u.IsAbs() || strings.HasPrefix(u.Path, "/") {
			t.Errorf("%s is not relative: %v", to, err)
			continue
		}
		target := page
		if u.Path != "" {
			target = filepath.Join(filepath.Dir(page), filepath.FromSlash(u.Path))
		}
		text, err := os.ReadFile(target)
		switch {
		case err != nil:
			t.Errorf("%s leads to %s, which does not exist", filepath.Base(page), to)
		case u.Fragment != "" && !bytes.Contains(text, []byte(` id="`+html.EscapeString(u.Fragment)+`"`)):
			t.Errorf("%s leads to %s, and there is no such place", filepath.Base(page), to)
		}
	}
	return out
}

func mustLead(t *testing.T, got []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("the page does not lead to %s", w)
		}
	}
}

func TestPageLeadsToEveryFile(t *testing.T) {
	for _, names := range [][]string{{"expiry"}, {"expiry", "gc-pause"}} {
		dir := t.TempDir()
		r := fixture(t, dir, names...)
		written, err := Write(dir, r)
		if err != nil {
			t.Fatal(err)
		}
		got := links(t, filepath.Join(dir, ReportFile))
		for _, path := range written {
			if rel, _ := filepath.Rel(dir, path); rel != ReportFile {
				mustLead(t, got, filepath.ToSlash(rel))
			}
		}
		mustLead(t, got, "expiry/naive/history.jsonl", "#main")
	}
}

// Neither what is missing nor what another run left there is this run's.
func TestPageLeadsNowhereElse(t *testing.T) {
	dir := t.TempDir()
	r := fixture(t, dir, "expiry")
	s := &r.Scenarios[0].Strategies[0]
	s.FirstViolation = nil
	if err := os.Rename(filepath.Join(dir, "expiry"), filepath.Join(dir, "a:b #1?")); err != nil {
		t.Fatal(err)
	}
	for i := range r.Scenarios[0].Strategies {
		s := &r.Scenarios[0].Strategies[i]
		s.History = strings.Replace(s.History, "expiry/", "a:b #1?/", 1)
	}
	if _, err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"waits.png", "a:b #1?/token/trace.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"other.png", "../" + AgreementPage} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`<a href="other/report.html">`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := links(t, writeReport(t, dir, r))
	mustLead(t, got, "./a:b%20%231%3F/token/history.jsonl")
	for _, to := range got {
		if strings.Contains(to, "other") || strings.Contains(to, "waits") || strings.Contains(to, "token/trace") || strings.Contains(to, "agreement") {
			t.Errorf("the page leads to %s", to)
		}
	}
}

func TestPagesOfBothModesLeadToEachOther(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sim", "live"} {
		side := filepath.Join(dir, name)
		if _, err := Write(side, fixture(t, side, "expiry", "gc-pause")); err != nil {
			t.Fatal(err)
		}
		if got := links(t, filepath.Join(side, ReportFile)); slices.Contains(got, "../agreement.html") {
			t.Error("a page leads up to what is not there yet")
		}
	}
	a := twoWorlds()
	a.Cells[2].History = "live/expiry/naive/history.jsonl"
	if err := WriteAgreement(dir, a, "sim", "live", "again"); err != nil {
		t.Fatal(err)
	}
	mustLead(t, links(t, filepath.Join(dir, AgreementPage)), "sim/report.html", "live/report.html", AgreementFile,
		"live/report.html#expiry--naive", "live/expiry/naive/history.jsonl")
	for _, name := range []string{"sim", "live"} {
		mustLead(t, links(t, filepath.Join(dir, name, ReportFile)), "../agreement.html", "results.json", "expiry/naive/history.jsonl")
	}
}

func TestPageSaysWhatMadeIt(t *testing.T) {
	dir := t.TempDir()
	r := fixture(t, dir, "expiry", "gc-pause")
	r.Made = &results.Made{Simrun: "v1.2.3", Command: "simrun -scenario all", Date: "2026-12-03T11:05:00+01:00"}
	r.Scenarios[0].Story = "A works <b>too</b> long."
	page := readReport(t, dir, r)
	for _, want := range []string{
		"simrun v1.2.3", "3 December 2026, 10:05 UTC", "<code>simrun -scenario all</code>", "A works &lt;b&gt;too&lt;/b&gt; long.",
		"each cell: 100 runs · lease 30 s · simrun v1.2.3",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	r.Made, r.Scenarios[0].Story = nil, ""
	if page := readReport(t, dir, r); strings.Contains(page, "Made by") || strings.Contains(page, "What happens") {
		t.Error("an old file says nothing of that, and the page makes it up")
	}
}

// What was not seen is not nothing, and nothing about a broken lock is green.
func TestPageNeverPraisesWhatIsNotKnown(t *testing.T) {
	dir := t.TempDir()
	r := fixture(t, dir, "expiry")
	r.Scenarios[0].Strategies = r.Scenarios[0].Strategies[1:3]
	broken, unclear := &r.Scenarios[0].Strategies[0], &r.Scenarios[0].Strategies[1]
	*unclear = results.Strategy{
		Name: "watchdog", Verdict: results.Unknown, Guarantee: results.Unclear, Runs: 100, UnknownRuns: 100,
		Expected: map[string]string{"overlap": "none", "aborted": "none"},
	}
	broken.JudgeGuarantee(true)
	page := readReport(t, dir, r)
	row := func(name string) string {
		_, rest, _ := strings.Cut(page, `<tr data-strategy="`+name+`"`)
		text, _, _ := strings.Cut(rest, "</tr>")
		return text
	}
	if text := row("watchdog"); strings.Contains(strings.Replace(text, ">0 sections", "", 1), ">0") || strings.Contains(text, "safe") || strings.Contains(text, "as expected") || !strings.Contains(text, ">?") {
		t.Errorf("an unknown lock is shown as %s", text)
	}
	if text := row("token"); strings.Contains(text, " safe") || strings.Contains(text, "✓") {
		t.Errorf("a broken lock is shown as %s", text)
	}
	if strings.Contains(page, "no violations in") || !strings.Contains(page, "watchdog showed too little to tell") {
		t.Error("an unknown lock had no violations")
	}
}

func readReport(t *testing.T, dir string, r Results) string {
	t.Helper()
	b, err := os.ReadFile(writeReport(t, dir, r))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
