// Package live runs one seed of a scenario in real time: each client is a
// process that reaches a real Redis through a real Toxiproxy.
//
// A client's path: worker process → Toxiproxy, one proxy per client → tap, one
// per client → Redis server. The critical section is played by the same code as
// in the virtual world (package engine), and the history is in the scenario's
// time.
//
// Goals: the same scenario file, unchanged, gives the same verdict; each fault
// leaves a proof that it was real; nothing outlives the run.
// Non-goals: determinism: a seed fixes the random draws, not the machine's
// timing.
package live

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/results"
)

// DefaultScale is how many times faster than the scenario a live run goes unless
// asked otherwise: a lease of 30 s lasts 1 s, and the margin that a guarded lock
// subtracts from it, 12 ms, is longer than a busy machine's delays.
const DefaultScale = 30

// Session is what live runs share: a Toxiproxy, the reaper and the stall
// detector. Its methods may be called from any goroutine.
type Session struct {
	shared
	redis string // product and version
}

// Open checks the options and opens what runs share, before anything runs. An
// unusable Redis or Toxiproxy is an error of one line.
func Open(ctx context.Context, o Options) (*Session, error) {
	if o.Scale == 0 {
		o.Scale = DefaultScale
	}
	if o.Redis == "" {
		o.Redis = redisserver.Miniredis
	}
	if o.Worker.Path == "" {
		self, err := worker.Self()
		if err != nil {
			return nil, err
		}
		o.Worker = self
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	s := &Session{shared: shared{options: o, stalls: startStallDetector()}}
	if err := s.open(ctx, exe); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Session) open(ctx context.Context, exe string) (err error) {
	if s.reaper, err = proc.StartReaper(exe); err != nil {
		return err
	}
	if s.proxies, err = openProxyServer(ctx, s.options.Toxiproxy); err != nil {
		return err
	}
	probe, err := s.openServer(ctx)
	if err != nil {
		return err
	}
	s.redis = probe.Version()
	return probe.Close()
}

// Setup describes what the runs use.
func (s *Session) Setup() *results.Setup {
	setup := &results.Setup{Redis: s.redis, Toxiproxy: s.proxies.description(), Scale: s.options.Scale}
	if !s.options.Worker.IsSelf() {
		setup.Worker = s.options.Worker.String()
	}
	return setup
}

// Close ends what the runs shared.
func (s *Session) Close() error {
	s.stalls.close()
	var err error
	if s.proxies != nil {
		err = s.proxies.close()
	}
	return errors.Join(err, s.reaper.Close())
}

// attempts is how often a run is made at most if the machine stalls in it.
const attempts = 3

// Run runs one seed. A worker that dies, breaks the protocol or does not answer
// is a finding in the report. A run in which the machine stalled for longer than
// a run allows is repeated; if that does not help, the last one is returned, with
// a finding that makes it insufficient evidence. An error is the harness's, its
// environment's or the context's, and comes without an outcome.
func (s *Session) Run(ctx context.Context, j engine.Job) (engine.Outcome, error) {
	for attempt := 1; ; attempt++ {
		out, stalled, err := s.runOnce(ctx, j)
		if err != nil || !stalled || attempt == attempts {
			return out, err
		}
	}
}

// runOnce runs one seed once and reports whether the machine stalled in it.
func (s *Session) runOnce(ctx context.Context, j engine.Job) (out engine.Outcome, stalled bool, err error) {
	w, err := newWorld(ctx, &s.shared, j)
	if err != nil {
		return engine.Outcome{}, false, err
	}
	defer w.close()
	stalled = w.run(ctx)
	if err := ctx.Err(); err != nil {
		return engine.Outcome{}, false, err
	}
	return engine.Outcome{Header: w.header, Report: w.rec.Report(), Events: w.rec.Events()}, stalled, nil
}
