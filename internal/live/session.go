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
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/results"
)

// DefaultScale is how many times faster than the scenario a live run goes unless
// asked otherwise: a lease of 30 s lasts 1 s, and the margin that a guarded lock
// subtracts from it, 12 ms, is longer than a busy machine's delays.
const DefaultScale = 30

// Options configure live runs.
type Options struct {
	Scale     float64        // seconds of the scenario per real second; 0: DefaultScale
	Redis     string         // as redisserver.Open takes it; "": an embedded miniredis
	Shared    bool           // permit a server that holds other keys
	Toxiproxy string         // host:port of a Toxiproxy's API; "": an embedded one
	Worker    worker.Command // a zero Command: this program itself
	Bound     time.Duration  // how long a worker may take to answer beyond what the request takes; 0: 30 s
}

// Session is what live runs share. Its methods may be called from any goroutine.
type Session struct {
	options Options
	proxies *proxyServer
	stalls  *monitor // of the machine
	reaper  *proc.Reaper
	redis   string // product and version
}

// Open checks the options and opens what runs share, before anything runs. An
// unusable Redis or Toxiproxy is an error of one line.
func Open(ctx context.Context, o Options) (*Session, error) {
	self, err := worker.Self()
	if err != nil {
		return nil, err
	}
	if o.Worker.Path == "" {
		o.Worker = self
	}
	o.Scale = cmp.Or(o.Scale, DefaultScale)
	o.Redis = cmp.Or(o.Redis, redisserver.Miniredis)
	s := &Session{options: o, stalls: startMonitor(stallInterval, detectStall)}
	if err := s.open(ctx, self.Path); err != nil {
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

// openServer opens the Redis of one run.
func (s *Session) openServer(ctx context.Context) (redisserver.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return redisserver.Open(ctx, s.options.Redis, redisserver.Options{Shared: s.options.Shared, Reaper: s.reaper})
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
