package reports

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	r := fixture(t, dir, "expiry", "gc-pause")
	paths, err := Write(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range Files(r) {
		want = append(want, filepath.Join(dir, filepath.FromSlash(name)))
	}
	if d := cmp.Diff(want, paths); d != "" {
		t.Errorf("the files written are not those of Files (-want +got):\n%s", d)
	}
	charts, traces := 0, 0
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			t.Errorf("%s holds %d bytes: %v", path, len(b), err)
		}
		if filepath.Base(path) == "trace.json" {
			traces++
		}
		if filepath.Ext(path) != ".png" {
			continue
		}
		charts++
		width, high := 1200, 700
		if name := filepath.Base(path); name == HeatMapFile || name == BrokenFile {
			width, high = 1800, 1200
		} else if d := filepath.Base(filepath.Dir(path)); d != "expiry" && d != "gc-pause" { // of many scenarios, each has a folder
			t.Errorf("%s is not in its scenario's folder", path)
		}
		c, err := png.DecodeConfig(bytes.NewReader(b))
		if err != nil || c.Width != width || c.Height > high || c.Height < 200 {
			t.Errorf("%s is %d × %d: %v", path, c.Width, c.Height, err)
		}
	}
	if charts != 10 || traces != 12 {
		t.Errorf("%d charts and %d traces, want 10 and 12", charts, traces)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}

// The same results must give the same bytes, in every file.
func TestWriteIsDeterministic(t *testing.T) {
	files := func() map[string]string {
		dir := t.TempDir()
		if _, err := Write(dir, withMisfits(t, dir, "gc-pause")); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			out[strings.TrimPrefix(path, dir)] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first, second := files(), files()
	for name, text := range first {
		if second[name] != text {
			t.Errorf("%s differs between two writings", name)
		}
	}
}

// A history that is gone or cut short does not hide what is sound.
func TestWriteWithDamagedHistories(t *testing.T) {
	dir := t.TempDir()
	r := fixture(t, dir, "expiry")
	if err := os.Remove(filepath.Join(dir, "expiry", "token", "history.jsonl")); err != nil {
		t.Fatal(err)
	}
	h, events := toyHistory("expiry", toyLocks[0])
	writeHistory(t, filepath.Join(dir, "expiry", "naive", "history.jsonl"), h, events[:60])
	_, err := Write(dir, r)
	if !errors.Is(err, os.ErrNotExist) || !errors.Is(err, history.ErrTruncated) {
		t.Errorf("got %v", err)
	}
	b, err := os.ReadFile(filepath.Join(dir, ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`data-strategy="token"`, `data-strategy="fenced"`, `data-violation="stale-write"`} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("the report lacks %s", want)
		}
	}
}

func TestLoadRefusesPathsOutside(t *testing.T) {
	r := results.Results{Version: 1, Scenarios: []results.Scenario{{Name: "x", Strategies: []results.Strategy{{Name: "y", History: "../../etc/passwd"}}}}}
	if _, err := load(t.TempDir(), r); !errors.Is(err, ErrResults) {
		t.Errorf("got %v, want ErrResults", err)
	}
}

func TestWriteToAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(filepath.Join(file, "dir"), results.Results{}); err == nil {
		t.Error("no error")
	}
}

// Texts come from scenario files and from the lock under test: none of them
// may become markup or script.
func TestHTMLEscapesEveryText(t *testing.T) {
	const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'&`
	dir := t.TempDir()
	r := withMisfits(t, dir, "gc-pause")
	sc := &r.Scenarios[0]
	h, events := toyHistory("gc-pause", toyLocks[0])
	for i := range events {
		events[i].Detail = evil
	}
	writeHistory(t, filepath.Join(dir, "gc-pause", "naive", "history.jsonl"), h, events)
	sc.Name, sc.Summary, sc.Source, sc.Faults, sc.File = evil, evil, evil, []string{evil}, evil
	s := &sc.Strategies[0]
	s.Summary, s.UnknownReason = evil, evil
	s.UnknownRuns = 1
	s.FirstViolation.Property, s.FirstViolation.Replay = evil, evil
	s.FirstViolation.Violation.Text = evil
	s.Mismatches = []results.Mismatch{{Property: evil, Want: evil, Got: evil, Replay: evil}}
	s.Findings = []results.Finding{{Class: evil, Detail: evil, Stack: evil, Replay: evil}}
	var out bytes.Buffer
	if err := HTML(&out, dir, r); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>alert", "<img src=x", "ZgotmplZ"} {
		if strings.Contains(out.String(), bad) {
			t.Errorf("the report contains %q", bad)
		}
	}
}

// The report asks nothing of a network.
func TestHTMLIsSelfContained(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := HTML(&out, dir, fixture(t, dir, "expiry")); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(out.String(), "http://www.w3.org/2000/svg", "")
	for _, bad := range []string{"http://", "https://", "@import", " src=", "url(//"} {
		if i := strings.Index(text, bad); i >= 0 {
			t.Errorf("the report contains %q: …%s", bad, text[i:min(len(text), i+60)])
		}
	}
}

// busyHistory is a long run: commands, renewals and sections without end.
func busyHistory(scenario, strategy string, events int) (history.Header, []history.Event) {
	h, all := toyHistory(scenario, toyLock{name: strategy})
	all = all[:len(all)-1]
	round := all
	for len(all) < events {
		last := all[len(all)-1].At
		for _, e := range round {
			e.At += last
			e.Seq = len(all) + 1
			all = append(all, e)
		}
	}
	all = all[:events-1]
	return h, append(all, history.Event{Seq: events, At: all[events-2].At, Kind: history.End})
}

func TestReportSize(t *testing.T) {
	for _, tc := range []struct {
		name              string
		scenarios, events int
		most              int
	}{
		{"expiry", 1, 1500, 1 << 20},
		{"one with long runs", 1, 6000, 1 << 20},
		{"all", 14, 1500, 5 << 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			var names []string
			for i := range tc.scenarios {
				names = append(names, fmt.Sprintf("scenario-%d", i))
			}
			r := fixture(t, dir, names...)
			for _, sc := range r.Scenarios {
				for i := range sc.Strategies {
					s := &sc.Strategies[i]
					h, events := busyHistory(sc.Name, s.Name, tc.events)
					writeHistory(t, filepath.Join(dir, s.History), h, events)
					s.FirstViolation = &results.FirstViolation{Seed: 1, Property: "stale-write", Violation: judgeToy(events).violations[1]}
				}
			}
			var out bytes.Buffer
			if err := HTML(&out, dir, r); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes", out.Len())
			if out.Len() > tc.most {
				t.Errorf("%d bytes, want at most %d", out.Len(), tc.most)
			}
		})
	}
}

// The page of a run that ended early says at its top what was not run.
func TestHTMLNamesWhatWasNotRun(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := HTML(&out, dir, endedEarly(t, dir)); err != nil {
		t.Fatal(err)
	}
	top, _, _ := strings.Cut(out.String(), "</header>")
	for _, want := range []string{"Not begun: gc-pause, standby", "Not all runs: expiry (watchdog 40 of 100, capped 0 of 100)", `data-guarantee="unknown"`} {
		if !strings.Contains(top, want) {
			t.Errorf("the head of the page lacks %q", want)
		}
	}
}
