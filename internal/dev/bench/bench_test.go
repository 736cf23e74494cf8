// Package bench measures the cost of the harness. It alternates between a scenario
// and a bare loop that sends the same Redis commands at the same virtual times,
// from the same number of go-redis clients to a miniredis in a bubble, without
// history, checks, faults or toxics.
//
// Goals: both sides in one run and in turn, so that a noisy machine affects both.
// Non-goals: pass or fail; the figures are for people to read.
package bench

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/scenarios"
)

var (
	scenario = flag.String("scenario", "expiry", "scenario whose commands are sent")
	rounds   = flag.Int("rounds", 1, "rounds of each side")
	seeds    = flag.Int("seeds", 1, "seeds for each strategy in a round")
)

// It is a test and not a benchmark because only a test can open a bubble. It
// fails where the two sides sent different commands and so are not comparable.
func TestHarnessAgainstBareLoop(t *testing.T) {
	s, err := scenarios.Load(*scenario)
	if err != nil {
		t.Fatal(err)
	}
	h := bubble.In(t)
	scripts := record(h, s, *seeds)
	var ratios []float64
	for i := range *rounds + 1 {
		b := bare(h, s, scripts)
		f := harness(h, s, *seeds)
		if b.commands != f.commands {
			t.Fatalf("the bare loop sent %d commands and the harness %d", b.commands, f.commands)
		}
		if i == 0 {
			continue // warm-up
		}
		ratio := f.real.Seconds() / b.real.Seconds()
		ratios = append(ratios, ratio)
		t.Logf("round %d  bare %s   harness %s   ratio %.2f", i, b, f, ratio)
	}
	slices.Sort(ratios)
	t.Logf("%s: the harness takes %.2f times as long as the bare loop (median of %d rounds; %.2f to %.2f)",
		s.Name, ratios[len(ratios)/2], len(ratios), ratios[0], ratios[len(ratios)-1])
}

// harness runs the scenario as simrun does.
func harness(h bubble.Host, s *scenarios.Scenario, seeds int) side {
	var out side
	begun := time.Now()
	for _, st := range strategy.All() {
		for seed := range seeds {
			r := virtual.Run(h, engine.Job{Scenario: s, Strategy: st, Seed: uint64(seed) + 1}).Report
			out.commands += r.Commands
			out.virtual += time.Duration(r.Virtual)
		}
	}
	out.real = time.Since(begun)
	return out
}
