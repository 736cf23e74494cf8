// Command bench measures the cost of the harness. It alternates between a scenario
// and a bare loop that sends the same Redis commands at the same virtual times,
// from the same number of go-redis clients to a miniredis in a bubble, without
// history, checks, faults or toxics.
//
// Goals: both sides in one run and in turn, so that a noisy machine affects both.
// Non-goals: pass or fail; the figures are for people to read.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/lock"
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

// side is the result of one side of the comparison in one round.
type side struct {
	commands int
	virtual  time.Duration
	real     time.Duration
}

func (s side) String() string {
	return fmt.Sprintf("%8.0f commands/s %9.0f virtual s/real s", float64(s.commands)/s.real.Seconds(), s.virtual.Seconds()/s.real.Seconds())
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

// op is one command of a client; at is the virtual time since the start of the run.
type op struct {
	at        time.Duration
	args      []any
	subscribe bool
}

// script holds the commands that the clients of one run sent.
type script struct {
	clients map[string][]op
	names   []string
}

// record runs the scenario once and returns the commands that its clients send.
func record(h bubble.Host, s *scenarios.Scenario, seeds int) []script {
	var scripts []script
	for _, st := range strategy.All() {
		for seed := range seeds {
			sc := script{clients: map[string][]op{}}
			spied := st
			spied.New = func(e strategy.Env) (lock.Locker, error) {
				e.Redis.AddHook(spy{client: e.Owner, begun: time.Now(), into: sc.clients})
				return st.New(e)
			}
			out := virtual.Run(h, engine.Job{Scenario: s, Strategy: spied, Seed: uint64(seed) + 1, Record: true})
			for _, e := range out.Events {
				if e.Kind == history.Command && e.Detail == "subscribe" {
					sc.clients[e.Client] = append(sc.clients[e.Client], op{at: time.Duration(e.At), subscribe: true})
				}
			}
			sc.names = out.Header.Clients
			for _, ops := range sc.clients {
				slices.SortStableFunc(ops, func(a, b op) int { return int(a.at - b.at) })
			}
			scripts = append(scripts, sc)
		}
	}
	return scripts
}

// spy is a go-redis hook that records what a client sends.
type spy struct {
	client string
	begun  time.Time
	into   map[string][]op // unlocked: the clients of a bubble take turns
}

func (s spy) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s spy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s spy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		s.into[s.client] = append(s.into[s.client], op{at: time.Since(s.begun), args: cmd.Args()})
		return next(ctx, cmd)
	}
}
