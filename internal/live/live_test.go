package live_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// The test binary serves as worker and reaper, as any program that embeds simrun
// does.
func TestMain(m *testing.M) {
	if worker.Is() {
		os.Exit(worker.Main(os.Stdin, os.Stdout, os.Stderr))
	}
	if proc.IsReaper(os.Args[1:]) {
		proc.RunReaper()
	}
	os.Exit(m.Run())
}

func run(t *testing.T, scenario, name string, o live.Options) engine.Outcome {
	t.Helper()
	s, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	st, ok := strategy.Lookup(name)
	if !ok {
		t.Fatalf("no strategy %s", name)
	}
	session, err := live.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}()
	out, err := session.Run(context.Background(), engine.Job{Scenario: s, Strategy: st, Seed: 1, Record: true})
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
// Toxiproxy's API lists: the fired event contains the proof.
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

// A restart gives another process, and a failover leaves the primary dead.
func TestFaultsOfTheServerAreReal(t *testing.T) {
	const promoted = `killed by signal 9, .*seen at Toxiproxy's API.*master_link_status:up before, role:master after`
	tests := []struct{ scenario, redis, proof string }{
		{"redis-restart", "miniredis", `miniredis has left \S+, its \d+ keys lost`},
		{"redis-restart-kept", "miniredis", `miniredis has left \S+, its \d+ keys kept`},
		{"failover", "miniredis", `its replica, .* behind, has taken its place: of \d+ keys [1-9]\d* are lost`},
		{"redis-restart", "redis-server", `process \d+: killed by signal 9, data lost`},
		{"redis-restart-kept", "redis-server", `process \d+: told to save and end: exit status 0, data kept`},
		{"failover", "redis-server", promoted},
	}
	for _, tt := range tests {
		t.Run(tt.scenario+"/"+tt.redis, func(t *testing.T) {
			if tt.redis == "redis-server" {
				testneeds.RedisServer(t)
			}
			t.Parallel()
			out := run(t, tt.scenario, "fenced", live.Options{Scale: 60, Redis: tt.redis})
			if out.Report.Unknown != "" || len(out.Report.Findings) > 0 {
				t.Fatalf("unknown %q, findings %+v", out.Report.Unknown, out.Report.Findings)
			}
			proof := regexp.MustCompile(tt.proof)
			if !slices.ContainsFunc(out.Events, func(e history.Event) bool { return e.Kind == history.Fired && proof.MatchString(e.Detail) }) {
				t.Errorf("no fired event proves %q", tt.proof)
			}
		})
	}
}

// A server that was not started here is neither restarted nor replaced: the run
// proves nothing, and says why.
func TestFaultsOfAnExternalServer(t *testing.T) {
	testneeds.RedisServer(t)
	theirs, err := redisserver.Open(t.Context(), redisserver.RedisServer, redisserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	for _, scenario := range []string{"redis-restart", "failover"} {
		t.Run(scenario, func(t *testing.T) {
			out := run(t, scenario, "token", live.Options{Scale: 200, Redis: theirs.Addr()})
			if !strings.Contains(out.Report.Unknown, chaos.ErrUnsupported.Error()) {
				t.Errorf("unknown %q, want why", out.Report.Unknown)
			}
		})
	}
}

// An interrupt ends a run even while a fault holds its client up, and gives no
// outcome.
func TestInterrupt(t *testing.T) {
	s, err := scenarios.Load("hung-holder")
	if err != nil {
		t.Fatal(err)
	}
	st, _ := strategy.Lookup("watchdog")
	session, err := live.Open(context.Background(), live.Options{Scale: 30})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // its holder hangs for 20 s
	defer cancel()
	if out, err := session.Run(ctx, engine.Job{Scenario: s, Strategy: st, Seed: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("run gave %+v and %v, want the context's error", out.Report, err)
	}
}

// The same scenario gives the same verdict on a real redis-server.
func TestOnARealServer(t *testing.T) {
	testneeds.RedisServer(t)
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
