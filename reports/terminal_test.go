package reports

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/results"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got); -update writes it anew:\n%s", path, d)
	}
}

// withMisfits gives results in which every sort of bad news occurs once.
func withMisfits(t testing.TB, dir string, scenarios ...string) results.Results {
	r := fixture(t, dir, scenarios...)
	sc := &r.Scenarios[0]
	sc.Strategies[1].Verdict = results.Fail
	sc.Strategies[1].Mismatches = []results.Mismatch{{
		Property: "overlap", Want: "none", Got: "300 in 100 of 100 runs", Seed: 1,
		Replay: "simrun -scenario expiry -strategy token -seed 1",
	}}
	sc.Strategies[0].Mismatches = []results.Mismatch{{
		Property: "stuck", Want: "every", Got: "none in 100 runs", Seed: 3, Replay: "simrun -scenario expiry -strategy naive -seed 3",
		Text: "naive: stuck is expected in every run, but seed 3 went without it (0 of 100 runs showed it)",
	}}
	sc.Strategies[2].Verdict = results.Fail
	sc.Strategies[2].Findings = []results.Finding{{
		Class: "panic", Seed: 7, Count: 2, Detail: "close of closed channel\x1b[31m",
		Stack: panicStack, Replay: "simrun -scenario expiry -strategy watchdog -seed 7",
	}}
	sc.Strategies[3].Verdict = results.Unknown
	sc.Strategies[3].UnknownRuns = 100
	sc.Strategies[3].UnknownReason = "3 sections entered, 6 are the least"
	for i := range sc.Strategies {
		s := &sc.Strategies[i]
		s.JudgeGuarantee(s.Verdict != results.Unknown)
		switch s.Verdict {
		case results.Fail:
			s.Expectation = results.Changed
		case results.Unknown:
			s.Expectation = results.NotAsked
		}
	}
	sc.Verdict, r.Verdict = results.Fail, results.Fail
	return r
}

// alone keeps one strategy of the first scenario.
func alone(r results.Results, i int) results.Results {
	sc := r.Scenarios[0]
	sc.Strategies = sc.Strategies[i : i+1]
	r.Scenarios = []results.Scenario{sc}
	return r
}

// endedEarly is a run that was interrupted in its first scenario.
func endedEarly(t testing.TB, dir string) results.Results {
	r := fixture(t, dir, "expiry")
	r.Interrupted, r.Verdict = true, results.Unknown
	r.Scenarios[0].Strategies = r.Scenarios[0].Strategies[2:4]
	for i := range r.Scenarios[0].Strategies {
		s := &r.Scenarios[0].Strategies[i]
		s.Runs, s.Verdict, s.Expectation, s.UnknownReason = 40*(1-i), results.Unknown, results.NotAsked, "not all seeds ran"
		s.JudgeGuarantee(false)
		for _, sc := range []string{"expiry", "gc-pause", "standby"} {
			n := results.NotRun{Scenario: sc, Strategy: s.Name, PlannedRuns: 100}
			if sc == "expiry" {
				n.Runs = s.Runs
			}
			r.NotRun = append(r.NotRun, n)
		}
	}
	r.Scenarios[0].Verdict = results.Unknown
	return r
}

// A lock that was not tried everywhere is not said to hold everywhere.
func TestNotRunIsNoPass(t *testing.T) {
	r := endedEarly(t, t.TempDir())
	r.Scenarios[0].Strategies[0].Guarantee, r.Scenarios[0].Strategies[1].Guarantee = results.Holds, results.Holds
	if g, sentence := headline(r); g != results.Unclear {
		t.Errorf("%s: %q", g, sentence)
	}
	if got, want := standingText(r, "watchdog"), "unknown in 2 of 3 scenarios, holds in the others"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTerminal(t *testing.T) {
	for _, tc := range []struct {
		name string
		res  results.Results
		o    TerminalOptions
	}{
		{"one", fixture(t, t.TempDir(), "expiry"), TerminalOptions{Dir: "results/latest"}},
		{"narrow", fixture(t, t.TempDir(), "gc-pause"), TerminalOptions{Width: 60}},
		{"colour", fixture(t, t.TempDir(), "gc-pause"), TerminalOptions{Colour: true}},
		{"misfits", withMisfits(t, t.TempDir(), "expiry"), TerminalOptions{Dir: "out"}},
		{"alone", alone(withMisfits(t, t.TempDir(), "expiry"), 2), TerminalOptions{}},
		{"many", fixture(t, t.TempDir(), "expiry", "gc-pause"), TerminalOptions{Width: 80}},
		{"many-misfits", withMisfits(t, t.TempDir(), "expiry", "gc-pause"), TerminalOptions{}},
		{"nothing", results.Results{Interrupted: true}, TerminalOptions{}},
		{"not-run", endedEarly(t, t.TempDir()), TerminalOptions{Width: 80}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Terminal(&out, tc.res, tc.o); err != nil {
				t.Fatal(err)
			}
			golden(t, "terminal-"+tc.name+".txt", out.Bytes())
		})
	}
}
