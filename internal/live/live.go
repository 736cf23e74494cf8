// Package live runs one seed of a scenario in real time: each client is a
// process, its connections go through a real Toxiproxy to a real Redis.
//
// A client's path: worker process → Toxiproxy, one proxy a client → tap, one a
// client → Redis server. The section is played by the same code as in the
// virtual world (package stage), and the history is told in the scenario's time.
//
// Goals: the same scenario file, unchanged, and the same verdict; each fault
// leaves the proof that it was real; nothing outlives the run.
// Non-goals: determinism: a seed fixes the draws, not the machine's timing.
package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/results"
)

// DefaultScale is how many times faster than the scenario's times a live run
// goes, if nothing else is asked: a lease of 30 s lasts 1 s, and the margin that
// a guarded lock takes off it, 12 ms, is longer than a busy machine dawdles.
const DefaultScale = 30

// Options say what a live run is made of.
type Options struct {
	Scale     float64        // seconds of the scenario in a second; 0: DefaultScale
	Redis     string         // as redisserver.Open takes it; "": an embedded miniredis
	Shared    bool           // allow a server that holds keys of others
	Toxiproxy string         // host:port of a Toxiproxy's API; "": an embedded one
	Worker    worker.Command // a zero Command: this program itself
	Bound     time.Duration  // how long a worker may take to answer beyond what it is asked for; 0: 30 s
}

// Lab is what live runs share: a Toxiproxy and the reaper. Its methods may be
// called from any goroutine.
type Lab struct {
	o       Options
	proxies *proxies
	pulse   *pulse
	redis   string // product and version
	reaper  *proc.Reaper
}

// Open checks the options before anything runs, and opens what runs share. An
// unusable Redis or Toxiproxy is an error here, in one line.
func Open(ctx context.Context, o Options) (*Lab, error) {
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
	l := &Lab{o: o, pulse: startPulse()}
	if l.reaper, err = proc.StartReaper(exe); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if l.proxies, err = openProxies(ctx, o.Toxiproxy); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	probe, err := l.server(ctx)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.redis = probe.Version()
	if err := probe.Close(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Lab) server(ctx context.Context) (redisserver.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return redisserver.Open(ctx, l.o.Redis, redisserver.Options{Shared: l.o.Shared, Reaper: l.reaper})
}

// Setup tells what the runs are made of.
func (l *Lab) Setup() *results.Setup {
	s := &results.Setup{Redis: l.redis, Toxiproxy: l.proxies.version(), Scale: l.o.Scale}
	if !l.o.Worker.IsSelf() {
		s.Worker = l.o.Worker.String()
	}
	return s
}

// Close ends what the runs shared.
func (l *Lab) Close() error {
	l.pulse.close()
	var errs []error
	if l.proxies != nil {
		errs = append(errs, l.proxies.close())
	}
	errs = append(errs, l.reaper.Close())
	return errors.Join(errs...)
}

// tries is how often a run is made at most where the machine stands still in it.
const tries = 3

// Run runs one seed. A worker that dies, says rubbish or does not answer is a
// finding in the report. A run in which the machine stood still for longer than a
// run allows for is made again; the last one of several is given with a finding
// that makes it too little evidence. The error is of the harness or its
// surroundings, or the context's; then there is no outcome.
func (l *Lab) Run(ctx context.Context, j engine.Job) (engine.Outcome, error) {
	for try := 1; ; try++ {
		out, spoilt, err := l.once(ctx, j)
		if err != nil || !spoilt || try == tries {
			return out, err
		}
	}
}

// once runs one seed once, and tells whether the machine has spoilt it.
func (l *Lab) once(ctx context.Context, j engine.Job) (out engine.Outcome, spoilt bool, err error) {
	w, err := l.newWorld(ctx, j)
	if err != nil {
		return engine.Outcome{}, false, err
	}
	defer w.close()
	spoilt = w.run(ctx)
	if err := ctx.Err(); err != nil {
		return engine.Outcome{}, false, err
	}
	return engine.Outcome{Header: w.header, Report: w.rec.Report(), Events: w.rec.Events()}, spoilt, nil
}
