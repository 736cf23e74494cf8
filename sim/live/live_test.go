package live_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/scenarios"
	"github.com/lockchaos/simrun/sim"
	"github.com/lockchaos/simrun/sim/history"
	"github.com/lockchaos/simrun/sim/live"
	"github.com/lockchaos/simrun/sim/live/janitor"
	"github.com/lockchaos/simrun/sim/live/needs"
	"github.com/lockchaos/simrun/sim/live/worker"
)

// The test binary serves as worker and janitor, as any program with simrun in
// it does.
func TestMain(m *testing.M) {
	if worker.Is() {
		os.Exit(worker.Main(os.Stdin, os.Stdout, os.Stderr))
	}
	if janitor.Is(os.Args[1:]) {
		janitor.Main()
	}
	os.Exit(m.Run())
}

func run(t *testing.T, scenario, strategy string, o live.Options) sim.Outcome {
	t.Helper()
	s, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	st, ok := sim.Lookup(strategy)
	if !ok {
		t.Fatalf("no strategy %s", strategy)
	}
	lab, err := live.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
	}()
	out, err := lab.Run(context.Background(), sim.Job{Scenario: s, Strategy: st, Seed: 1, Record: true})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SIMRUN_DUMP") != "" {
		for _, e := range out.Events {
			if e.Kind != history.Command {
				fmt.Printf("%4d %10.3f %-10s %s s%d owner=%s v=%d ver=%d f=%d dur=%.3f %s %s %s\n", e.Seq, float64(e.At)/1e9, e.Kind, e.Client, e.Section, e.Owner, e.Value, e.Version, e.Fence, float64(e.Dur)/1e9, e.Fault, e.Detail, e.Text)
			}
		}
		fmt.Printf("%+v\n", out.Report)
	}
	return out
}

// A pause is a stopped process, a crash a killed one, a partition a toxic that
// Toxiproxy's API lists: the fired event carries the proof.
func TestFaultsAreReal(t *testing.T) {
	tests := []struct{ scenario, strategy, proof string }{
		{"gc-pause", "fenced", "state T"},
		{"crash", "token", "killed by signal 9"},
		{"partition", "guarded", "seen at Toxiproxy's API"},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			out := run(t, tt.scenario, tt.strategy, live.Options{Scale: 100})
			if out.Report.Unknown != "" || len(out.Report.Findings) > 0 {
				t.Fatalf("unknown %q, findings %+v", out.Report.Unknown, out.Report.Findings)
			}
			for _, e := range out.Events {
				if e.Kind == history.Fired && strings.Contains(e.Detail, tt.proof) {
					return
				}
			}
			t.Errorf("no fired event proves %q", tt.proof)
		})
	}
}

// An interrupt ends a run though a fault holds its client up, and gives no
// outcome.
func TestInterrupt(t *testing.T) {
	s, err := scenarios.Load("hung-holder")
	if err != nil {
		t.Fatal(err)
	}
	st, _ := sim.Lookup("watchdog")
	lab, err := live.Open(context.Background(), live.Options{Scale: 30})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // its holder hangs for 20 s
	defer cancel()
	if out, err := lab.Run(ctx, sim.Job{Scenario: s, Strategy: st, Seed: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("run gave %+v and %v, want the context's error", out.Report, err)
	}
}

// The same scenario gives the same verdict on a real redis-server.
func TestOnARealServer(t *testing.T) {
	needs.RedisServer(t)
	for _, tt := range []struct {
		strategy string
		overlaps bool
	}{{"naive", true}, {"watchdog", false}} {
		t.Run(tt.strategy, func(t *testing.T) {
			t.Parallel()
			out := run(t, "expiry", tt.strategy, live.Options{Scale: 100, Redis: "redis-server"})
			overlaps := false
			for _, v := range out.Report.Violations {
				overlaps = overlaps || v.Property == "overlap"
			}
			if overlaps != tt.overlaps || out.Report.Unknown != "" {
				t.Errorf("overlaps %v, want %v; unknown %q", overlaps, tt.overlaps, out.Report.Unknown)
			}
		})
	}
}
