package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/scenarios"
)

// expectations of one strategy.
type expectations = map[string]scenarios.Expectation

// planOf runs count seeds of one scenario under each of the named strategies.
func planOf(t *testing.T, count int, expect map[string]expectations, names ...string) Plan {
	t.Helper()
	sc, err := scenarios.Load("expiry")
	if err != nil {
		t.Fatal(err)
	}
	sc.Expect = expect
	return Plan{
		Scenarios:  []Input{{Scenario: sc}},
		Strategies: func(*scenarios.Scenario) []string { return names },
		First:      1, Count: count,
	}
}

func runPlan(t *testing.T, p Plan, o Options) results.Results {
	t.Helper()
	r, err := Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResultDoesNotDependOnTheNumberOfProcesses(t *testing.T) {
	expect := map[string]expectations{
		"moody":  {"overlap": scenarios.Every, "stale-write": scenarios.None, "aborted": scenarios.Some},
		"steady": {"overlap": scenarios.None},
		"panics": {"overlap": scenarios.None},
	}
	p := planOf(t, 40, expect, "moody", "steady", "panics")
	one := runPlan(t, p, Options{Procs: 1})
	for _, procs := range []int{2, 4} {
		many := runPlan(t, p, Options{Procs: procs, Recycle: 7})
		if diff := cmp.Diff(one, many, cmpopts.IgnoreFields(results.Results{}, "WallSeconds"), cmpopts.IgnoreFields(results.Strategy{}, "WallSeconds")); diff != "" {
			t.Errorf("%d processes against one:\n%s", procs, diff)
		}
	}
	for _, s := range one.Scenarios[0].Strategies {
		if s.WallSeconds <= 0 || s.WallSeconds > one.WallSeconds {
			t.Errorf("%s took %v s, all together %v s in one process", s.Name, s.WallSeconds, one.WallSeconds)
		}
	}
	if one.Verdict != results.Fail {
		t.Errorf("verdict is %s", one.Verdict)
	}
}

func TestCell(t *testing.T) {
	expect := map[string]expectations{"moody": {"overlap": scenarios.Some, "stale-write": scenarios.None}}
	r := runPlan(t, planOf(t, 30, expect, "moody"), Options{Procs: 2, Program: "simrun"})
	got := r.Scenarios[0].Strategies[0]
	if got.Runs != 30 || got.Sections != 300 || got.Aborted != 6 {
		t.Errorf("runs %d, sections %d, aborted %d", got.Runs, got.Sections, got.Aborted)
	}
	want := map[string]results.Breach{
		"overlap":     {Count: 20, Runs: 10, WorstMS: 30e-6, FirstSeed: 3},
		"stale-write": {Count: 6, Runs: 6, FirstSeed: 5},
	}
	if diff := cmp.Diff(want, got.Violations); diff != "" {
		t.Error(diff)
	}
	mismatch := []results.Mismatch{{
		Property: "stale-write", Want: "none", Got: "6 in 6 of 30 runs", Seed: 5,
		Replay: "simrun -scenario expiry -strategy moody -seed 5",
		Text:   "moody: stale-write must not happen, but did in 6 of 30 runs, first with seed 5",
	}}
	if diff := cmp.Diff(mismatch, got.Mismatches); diff != "" {
		t.Error(diff)
	}
	if v := got.FirstViolation; v == nil || v.Property != "stale-write" || v.Seed != 5 {
		t.Errorf("first violation: %+v", v)
	}
}

func TestMisbehaviourIsAFinding(t *testing.T) {
	quick := Options{Procs: 1, Stall: 500 * time.Millisecond, Silence: 2 * time.Second}
	for _, tt := range []struct {
		strategy, class, detail, stack string
		seed                           uint64
		count                          int
		verdict                        results.Verdict
	}{
		{"panics", "panic", "the lock is broken", "goroutine N", 4, 1, results.Fail},
		{"exits", "panic", "exit status 7", "", 3, 1, results.Fail},
		{"spins", "spin", "spins", "behave", 2, 1, results.Fail},
		{"stops-time", "stuck-time", "a mutex is held across I/O", "stopTime", 2, 1, results.Unknown},
		{"freezes", "stuck-time", "fell silent", "", 2, 1, results.Unknown},
	} {
		t.Run(tt.strategy, func(t *testing.T) {
			expect := map[string]expectations{tt.strategy: {"overlap": scenarios.None}}
			r := runPlan(t, planOf(t, 5, expect, tt.strategy), quick)
			got := r.Scenarios[0].Strategies[0]
			if got.Runs != 5 || got.UnknownRuns != 1 {
				t.Errorf("%d runs, %d unknown; want 5 runs, 1 unknown", got.Runs, got.UnknownRuns)
			}
			if len(got.Findings) != 1 {
				t.Fatalf("findings: %+v", got.Findings)
			}
			f := got.Findings[0]
			if f.Class != tt.class || f.Seed != tt.seed || f.Count != tt.count ||
				!strings.Contains(f.Detail, tt.detail) || !strings.Contains(f.Stack, tt.stack) {
				t.Errorf("finding: %+v", f)
			}
			if got.Verdict != tt.verdict {
				t.Errorf("verdict is %s, want %s", got.Verdict, tt.verdict)
			}
		})
	}
}

// A panic in simrun's own code is an error with its stack, not a finding.
func TestACrashOfSimrunIsNotAFinding(t *testing.T) {
	expect := map[string]expectations{"innocent": {"overlap": scenarios.None}}
	_, err := Run(t.Context(), planOf(t, 5, expect, "innocent"), Options{Procs: 1})
	if !errors.Is(err, ErrInternal) || !strings.Contains(err.Error(), "-seed 2: ") || !strings.Contains(err.Error(), "goroutine N [running") {
		t.Errorf("error is %v", err)
	}
}

func TestALockThatPrintsDoesNotDisturb(t *testing.T) {
	expect := map[string]expectations{"prints": {"overlap": scenarios.None}}
	r := runPlan(t, planOf(t, 5, expect, "prints"), Options{Procs: 1})
	if r.Verdict != results.Pass {
		t.Errorf("verdict is %s: %+v", r.Verdict, r)
	}
}

func TestALoggerOnTheFirstStandardOutputDoesNotDisturb(t *testing.T) {
	expect := map[string]expectations{"logs": {"overlap": scenarios.None}}
	r := runPlan(t, planOf(t, 5, expect, "logs"), Options{Procs: 1})
	if r.Verdict != results.Pass {
		t.Errorf("verdict is %s: %+v", r.Verdict, r)
	}
}

func TestOutputOfAChildBesideItsRepliesIsKept(t *testing.T) {
	p := newChildProcess(time.Second)
	long := strings.Repeat("x", 100<<10)
	said := "a log line\n\n" + replyMark + `{"alive":true}` + "\n" + long + "\n\n" + replyMark + `{"hello":1}` + "\nthe end"
	go p.read(strings.NewReader(said))
	var got []reply
	for r := range p.replies {
		got = append(got, r)
	}
	if len(got) != 2 || !got[0].Alive || got[1].Hello != 1 {
		t.Errorf("replies: %+v", got)
	}
	kept := p.stderr.String()
	if !strings.HasPrefix(kept, "a log line\nxxx") || !strings.HasSuffix(kept, "xxx\nthe end") || strings.Contains(kept, replyMark) {
		t.Errorf("kept %.40q … %q", kept, kept[len(kept)-20:])
	}
}

func TestAProcessKilledFromOutsideIsNotTheLocksFault(t *testing.T) {
	t.Setenv(killedFile, filepath.Join(t.TempDir(), "killed"))
	for _, tt := range []struct {
		strategy string
		unknown  int
		verdict  results.Verdict
		reason   string
	}{
		{"killed-once", 0, results.Pass, ""},
		{"killed", 1, results.Unknown, "the process was killed from outside"},
	} {
		t.Run(tt.strategy, func(t *testing.T) {
			expect := map[string]expectations{tt.strategy: {"overlap": scenarios.None}}
			r := runPlan(t, planOf(t, 5, expect, tt.strategy), Options{Procs: 1, Dir: t.TempDir()})
			got := r.Scenarios[0].Strategies[0]
			if got.Runs != 5 || got.UnknownRuns != tt.unknown || got.Verdict != tt.verdict || got.UnknownReason != tt.reason || len(got.Findings) != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestALongMessageIsCut(t *testing.T) {
	expect := map[string]expectations{"rants": {"overlap": scenarios.None}}
	r := runPlan(t, planOf(t, 1, expect, "rants"), Options{Procs: 1})
	got := r.Scenarios[0].Strategies[0]
	for _, text := range []string{got.Findings[0].Detail, got.UnknownReason} {
		if n := len([]rune(text)); n != maxDetail || !strings.HasPrefix(text, "panic: the lock is broken, ") {
			t.Errorf("%d runes: %q", n, text)
		}
	}
	if len(got.Findings[0].Stack) < 10*maxDetail {
		t.Errorf("the stack is cut as well: %q", got.Findings[0].Stack)
	}
}

// The events of a violation prove it, whatever else is missing from its run. An
// unknown run neither shows nor disproves what happens in some or in every run.
func TestUnknownRunsOnlyCountWithTheirViolations(t *testing.T) {
	const why = "fault 1:pause never fired in seed 2"
	for _, tt := range []struct {
		name    string
		expect  expectations
		verdict results.Verdict
		text    string
	}{
		{"must not happen", expectations{"overlap": scenarios.None}, results.Fail,
			"thin: overlap must not happen, but did in 5 of 10 runs, first with seed 2"},
		{"another must not happen", expectations{"stuck": scenarios.None}, results.Unknown, ""},
		{"in some run", expectations{"overlap": scenarios.Some}, results.Unknown, ""},
		{"in every run", expectations{"overlap": scenarios.Every}, results.Fail,
			"thin: overlap is expected in every run, but seed 1 went without it (0 of 5 runs showed it)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := runPlan(t, planOf(t, 10, map[string]expectations{"thin": tt.expect}, "thin"), Options{Procs: 2, Dir: dir})
			got := r.Scenarios[0].Strategies[0]
			if got.Verdict != tt.verdict || got.UnknownRuns != 5 || got.UnknownReason != why || len(got.Findings) != 0 {
				t.Errorf("%+v", got)
			}
			if b := got.Violations["overlap"]; b.Count != 5 || b.Runs != 5 || b.FirstSeed != 2 {
				t.Errorf("violations: %+v", got.Violations)
			}
			text := ""
			for _, m := range got.Mismatches {
				text += m.Text
			}
			if text != tt.text {
				t.Errorf("mismatch is %q, want %q", text, tt.text)
			}
			if got.HistorySeed != 2 {
				t.Errorf("seed %d is recorded", got.HistorySeed)
			}
		})
	}
}

func TestHistoryOfTheFirstViolation(t *testing.T) {
	dir := t.TempDir()
	expect := map[string]expectations{"moody": {"overlap": scenarios.Some}, "steady": {"overlap": scenarios.None}}
	r := runPlan(t, planOf(t, 30, expect, "moody", "steady"), Options{Procs: 2, Dir: dir})
	for i, seed := range []uint64{5, 1} {
		got := r.Scenarios[0].Strategies[i]
		if got.HistorySeed != seed || len(got.Findings) != 0 {
			t.Errorf("%s: seed %d is recorded, want %d; findings %+v", got.Name, got.HistorySeed, seed, got.Findings)
		}
		h, _, err := history.ReadFile(filepath.Join(dir, got.History))
		if err != nil || h.Seed != seed {
			t.Errorf("%s: %v, seed %d", got.History, err, h.Seed)
		}
	}
}

func TestARunThatDoesNotRepeatIsAFinding(t *testing.T) {
	expect := map[string]expectations{"fickle": {"overlap": scenarios.Every}}
	r := runPlan(t, planOf(t, 3, expect, "fickle"), Options{Procs: 1, Dir: t.TempDir()})
	got := r.Scenarios[0].Strategies[0]
	if got.Verdict != results.Fail || len(got.Findings) != 1 || got.Findings[0].Class != "not-deterministic" {
		t.Errorf("%s, %+v", got.Verdict, got.Findings)
	}
}

func TestAnInterruptKeepsTheRunsThatAreDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	expect := map[string]expectations{"steady": {"overlap": scenarios.None}}
	r, err := Run(ctx, planOf(t, 100_000, expect, "steady"), Options{Procs: 2, Progress: func(p Progress) {
		if p.Ran >= 50 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Scenarios[0].Strategies[0]
	if !r.Interrupted || r.Verdict != results.Unknown || got.Verdict != results.Unknown {
		t.Errorf("interrupted %t, verdicts %s and %s", r.Interrupted, r.Verdict, got.Verdict)
	}
	if got.Runs < 50 || got.Runs > 1000 || len(got.Findings) != 0 {
		t.Errorf("%d runs, findings %+v", got.Runs, got.Findings)
	}
	want := []results.NotRun{{Scenario: r.Scenarios[0].Name, Strategy: "steady", Runs: got.Runs, PlannedRuns: 100_000}}
	if diff := cmp.Diff(want, r.NotRun); diff != "" {
		t.Errorf("not run (-want +got):\n%s", diff)
	}
}

func TestReplayJudgesWhatOneRunCanShow(t *testing.T) {
	for _, tt := range []struct {
		name   string
		expect expectations
		seed   uint64
		want   results.Verdict
	}{
		{"none holds", expectations{"overlap": scenarios.None}, 1, results.Pass},
		{"none is broken", expectations{"overlap": scenarios.None}, 3, results.Fail},
		{"every is broken", expectations{"overlap": scenarios.Every}, 1, results.Fail},
		{"some is seen", expectations{"overlap": scenarios.Some}, 3, results.Pass},
		{"some is not seen", expectations{"overlap": scenarios.Some}, 1, results.Unknown},
		{"some is not seen, but none holds", expectations{"overlap": scenarios.Some, "stuck": scenarios.None}, 1, results.Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planOf(t, 1, map[string]expectations{"moody": tt.expect}, "moody")
			p.First, p.Replay = tt.seed, true
			if got := runPlan(t, p, Options{Procs: 1}).Verdict; got != tt.want {
				t.Errorf("verdict is %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAScenarioFileIsReadOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	src := []byte("name: mine\nsummary: Nothing happens.\nwork: 1s\n")
	sc, err := scenarios.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	sc.File = file
	sc.Expect = map[string]expectations{"steady": {"overlap": scenarios.None}}
	if err := os.WriteFile(file, []byte("changed meanwhile"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := planOf(t, 2, nil, "steady")
	p.Scenarios = []Input{{Scenario: sc, Source: src}}
	r := runPlan(t, p, Options{Procs: 1})
	if r.Verdict != results.Pass || r.Scenarios[0].File != file {
		t.Errorf("%+v", r)
	}
}

func TestAChildEndsWithItsParentWhateverItDoes(t *testing.T) {
	p, err := start(t.Context(), Options{Stall: time.Hour, Silence: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	spin := order{Scenario: definition{Name: "expiry"}, Strategy: "spins", First: 1, Count: 2}
	if err := p.send(spin); err != nil {
		t.Fatal(err)
	}
	if r, err := p.receive(); err != nil || r.Tally == nil || r.Tally.Seed != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if exit := p.end(); exit != "exit status 0" {
		t.Errorf("at the end of its input a child ends with %s", exit)
	}
}

func TestAProgramThatDoesNotServeAsItsChildIsAnError(t *testing.T) {
	t.Setenv(childEnv, "1s")
	if _, err := Run(t.Context(), planOf(t, 1, nil, "steady"), Options{}); !errors.Is(err, ErrNotHooked) {
		t.Errorf("error is %v", err)
	}
}

func TestAnUnregisteredStrategyIsAnErrorOfTheHarness(t *testing.T) {
	p := planOf(t, 1, nil, "nobody-registered-this")
	if _, err := Run(t.Context(), p, Options{Procs: 1}); err == nil || !strings.Contains(err.Error(), "nobody-registered-this") {
		t.Errorf("error is %v", err)
	}
}
