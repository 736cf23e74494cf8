package virtual_test

import (
	"testing"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
)

// What a scenario puts on one instant still happens in an order that the seed
// decides: every replay gives the same bytes.
func TestNothingMeets(t *testing.T) {
	const head = "name: meet\nsummary: Things fall together.\nclients: 3\nsections: 3\nlease: 3s\nwork: 1s\n"
	tests := map[string]string{
		"two faults at one time": head + `
faults:
  - pause: {client: A, for: 10s, at: 5s}
  - pause: {client: B, for: 10s, at: 5s}
expect: {naive: {leak: none}}`,
		"one fault ends as another begins": head + `
faults:
  - partition: {client: A, at: 5s, for: 5s}
  - pause: {client: B, at: 10s, for: 5s}
expect: {naive: {leak: none}}`,
		"four faults on one event": head + `
faults:
  - pause: {client: any, on: entered, after: 1s, for: 5s}
  - reset: {client: any, on: entered, after: 1s}
  - reply-lost: {client: any, on: entered, after: 1s}
  - clock-jump: {by: 5s, on: entered, after: 1s}
expect: {naive: {leak: none}}`,
		"a fault ends with the lease": head + `
faults:
  - partition: {client: A, for: 3s, on: locked}
expect: {naive: {leak: none}}`,
		"a dropped partition as long as the lease": head + `
faults:
  - partition: {client: any, for: 3s, on: locked, mode: drop}
expect: {naive: {leak: none}}`,
		"a dropped partition beside a slow close": head + `
faults:
  - partition: {client: A, for: 3s, at: 3s, mode: drop}
  - toxic: {client: A, type: slow_close, attributes: {delay: 100}, for: 20s, at: 1s}
expect: {naive: {leak: none}}`,
		"a pause that outlives the run": head + `
limit: 60s
wait: 5s
faults:
  - pause: {client: A, for: 20m, at: 1s}
expect: {naive: {leak: none}}`,
		"a partition that outlives the run": head + `
limit: 60s
wait: 5s
faults:
  - partition: {client: A, for: 20m, on: waiting}
expect: {naive: {leak: none}}`,
		"a failover as the lease ends, and one as the work does": head + `
faults:
  - failover: {lag: 500ms, on: entered, after: 3s, every: 2}
  - failover: {lag: 500ms, on: entered, after: 1s, every: 3}
expect: {naive: {leak: none}}`,
		"a restart beside a failover, behind toxics": head + `
faults:
  - toxic: {client: all, type: latency, attributes: {latency: 100}, for: 20s, at: 1s}
  - redis-restart: {data: lost, for: 2s, at: 3s}
  - redis-restart: {data: kept, for: 2s, on: waiting, every: 3}
  - failover: {lag: 1s, at: 8s}
expect: {naive: {leak: none}}`,
		"a failover on each command": head + `
faults:
  - failover: {lag: 300ms, on: command, every: 7}
expect: {naive: {leak: none}}`,
		"a restart on each lock": head + `
faults:
  - redis-restart: {data: lost, for: 50ms, on: locked, every: 2}
  - redis-restart: {data: kept, for: 10s, on: renewed, every: 2}
expect: {naive: {leak: none}}`,
		"Redis is down for a minute": head + `
faults:
  - redis-restart: {data: kept, for: 60s, at: 2s}
expect: {naive: {leak: none}}`,
		"many clients, one latency, fixed times": `
name: meet
summary: Things fall together.
clients: 16
sections: 2
lease: 3s
work: 1s
think: 1s
network: 1ms
expect: {naive: {leak: none}}`,
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			s := scenario(t, src)
			for _, st := range strategy.All() {
				seen := map[string]int{}
				for range 2 + replays/4 {
					out := virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: 1, Record: true})
					seen[history.Hash(out.Header, out.Events)]++
					for _, f := range out.Report.Findings {
						t.Errorf("%s: %s: %s", st.Name, f.Class, f.Detail)
					}
				}
				if len(seen) != 1 {
					t.Errorf("%s: %d histories", st.Name, len(seen))
				}
			}
		})
	}
}

// Overlapping toxics that close connections give no finding against the lock.
func TestClosingToxicsAreNoFinding(t *testing.T) {
	s := scenario(t, `
name: closing
summary: Toxics close connections beside each other.
clients: 3
sections: 1
lease: 3s
work: 1s
limit: 2m
wait: 10s
faults:
  - partition: {client: any, for: 3s, on: locked, every: 1, mode: drop}
  - toxic: {client: all, type: slow_close, attributes: {delay: 3000}, for: 10s, at: 3s}
  - toxic: {client: all, type: limit_data, attributes: {bytes: 300}, for: 10s, at: 4s}
expect: {naive: {leak: none}}`)
	for _, st := range strategy.All() {
		out := virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: 1})
		for _, f := range out.Report.Findings {
			t.Errorf("%s: %s: %s", st.Name, f.Class, f.Detail)
		}
	}
}
