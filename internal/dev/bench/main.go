// Command bench measures the cost of the harness. It alternates between a scenario
// and a bare loop that sends the same Redis commands at the same virtual times,
// from the same number of go-redis clients to a miniredis in a bubble, without
// history, checks, faults or toxics.
//
// Goals: both sides in one run and in turn, so that a noisy machine affects both.
// Non-goals: pass or fail; the figures are for people to read.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/scenarios"
)

func main() {
	scenario := flag.String("scenario", "expiry", "scenario whose commands are sent")
	rounds := flag.Int("rounds", 7, "rounds of each side")
	seeds := flag.Int("seeds", 20, "seeds for each strategy in a round")
	flag.Parse()
	s, err := scenarios.Load(*scenario)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(254)
	}
	bubble.Main(func(h bubble.Host) int { return compare(h, s, *rounds, *seeds) })
}

func compare(h bubble.Host, s *scenarios.Scenario, rounds, seeds int) int {
	scripts := record(h, s, seeds)
	var ratios []float64
	for i := range rounds + 1 {
		b := bare(h, s, scripts)
		f := harness(h, s, seeds)
		if b.commands != f.commands {
			fmt.Fprintf(os.Stderr, "bench: the bare loop sent %d commands and the harness %d: no comparison\n", b.commands, f.commands)
			return 255
		}
		if i == 0 {
			continue // warm-up
		}
		ratio := f.real.Seconds() / b.real.Seconds()
		ratios = append(ratios, ratio)
		fmt.Printf("round %d  bare %s   harness %s   ratio %.2f\n", i, b, f, ratio)
	}
	slices.Sort(ratios)
	fmt.Printf("%s: the harness takes %.2f times as long as the bare loop (median of %d rounds; %.2f to %.2f)\n",
		s.Name, ratios[len(ratios)/2], len(ratios), ratios[0], ratios[len(ratios)-1])
	return 0
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
