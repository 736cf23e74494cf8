package bench

import (
	"context"
	"slices"
	"sync"
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
			var mu sync.Mutex
			spied := st
			spied.New = func(e strategy.Env) (lock.Locker, error) {
				e.Redis.AddHook(spy{client: e.Owner, begun: time.Now(), mu: &mu, into: sc.clients})
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
	mu     *sync.Mutex
	into   map[string][]op // under mu
}

func (s spy) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s spy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s spy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		s.mu.Lock()
		s.into[s.client] = append(s.into[s.client], op{at: time.Since(s.begun), args: cmd.Args()})
		s.mu.Unlock()
		return next(ctx, cmd)
	}
}
