package live_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// An interrupt ends a run whose workers have not even started, and gives no
// outcome.
func TestAnInterruptWhileWorkersStart(t *testing.T) {
	t.Parallel()
	s, err := scenarios.Load("expiry")
	if err != nil {
		t.Fatal(err)
	}
	st, _ := strategy.Lookup("naive")
	session, err := live.Open(context.Background(), live.Options{Worker: worker.Command{Path: "sleep", Args: []string{"1000"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond) // they will never answer
	defer cancel()
	if out, err := session.Run(ctx, engine.Job{Scenario: s, Strategy: st, Seed: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("run gave %+v and %v, want the context's error", out.Report, err)
	}
}

// Workers that do not start give a finding per client, and end the run.
func TestWorkersThatDoNotStart(t *testing.T) {
	for _, tt := range []struct{ path, class, says string }{
		{"true", "died", "worker died: pid "},
		{"cat", "rubbish", "worker broke the protocol: "},
		{"sleep", "blocked", "worker did not answer within 50ms"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			c := worker.Command{Path: tt.path}
			if tt.path == "sleep" {
				c.Args = []string{"1000"}
			}
			out := run(t, "expiry", "naive", live.Options{Scale: 100, Worker: c, Bound: 50 * time.Millisecond})
			if n := len(out.Report.Findings); n != 3 {
				t.Fatalf("%d findings, want one of each client: %+v", n, out.Report)
			}
			for _, f := range out.Report.Findings {
				if f.Class != tt.class || !strings.HasPrefix(f.Detail, "start of client ") || !strings.Contains(f.Detail, tt.says) {
					t.Errorf("finding %+v, want class %s and %q", f, tt.class, tt.says)
				}
			}
			if out.Report.Sections != 0 {
				t.Errorf("%d sections", out.Report.Sections)
			}
		})
	}
}
