package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/stack"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/scenarios"
)

// Child serves the process that started this one, and never returns. Call it
// where [IsChild], after all strategies are registered and before anything
// else. A lock that prints on the standard output prints on the standard error
// instead, since the standard output belongs to the protocol.
func Child() {
	stall, err := time.ParseDuration(os.Getenv(childEnv))
	if err != nil {
		fmt.Fprintf(os.Stderr, "simrun: %s: %v\n", childEnv, err)
		os.Exit(1)
	}
	// A lock under test may start processes of this binary; they are no children.
	os.Unsetenv(childEnv)
	// The terminal sends Ctrl-C and its hangup to the whole group; the parent decides.
	signal.Ignore(os.Interrupt, syscall.SIGHUP)
	collectLess()
	out := newWire(os.Stdout)
	os.Stdout = os.Stderr
	bubble.Main(func(h bubble.Host) int {
		c := &server{host: h, out: out, known: make(map[int]*scenarios.Scenario)}
		c.mon = newMonitor(stall, c.heartbeat, c.stalled)
		go c.mon.watch()
		if err := c.serve(os.Stdin); err != nil {
			_ = out.send(reply{Error: err.Error()})
			return 1
		}
		return 0
	})
}

// collectLess trades memory for time: a run leaves a lot of garbage, little of
// it long-lived, and collecting as often as usual costs a third of the time.
// The parent sets the limit at which the collector works as hard as it must.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// server runs the seeds that it is ordered to run.
type server struct {
	host  bubble.Host
	out   *wire
	known map[int]*scenarios.Scenario
	mon   *monitor
}

// serve runs orders until in ends. A goroutine of its own reads ahead, so that
// the process also ends in the middle of a seed once its parent is gone.
func (c *server) serve(in io.Reader) error {
	if err := c.out.send(reply{Hello: wireVersion}); err != nil {
		return err
	}
	orders, failed := make(chan order), make(chan error)
	go func() {
		dec := json.NewDecoder(bufio.NewReader(in))
		for {
			var o order
			err := dec.Decode(&o)
			if errors.Is(err, io.EOF) {
				os.Exit(0)
			}
			if err != nil {
				failed <- fmt.Errorf("reading an order: %w", err)
				return
			}
			orders <- o
		}
	}()
	for {
		select {
		case err := <-failed:
			return err
		case o := <-orders:
			if err := c.obey(o); err != nil {
				return err
			}
		}
	}
}

func (c *server) obey(o order) error {
	if o.Define != nil {
		s, err := o.Define.load()
		if err != nil {
			return fmt.Errorf("scenario %s: %w", o.Define.Name, err)
		}
		c.known[o.Scenario] = s
	}
	sc := c.known[o.Scenario]
	if sc == nil {
		return fmt.Errorf("order for scenario %d, which was not defined", o.Scenario)
	}
	st, ok := strategy.Lookup(o.Strategy)
	if !ok {
		return fmt.Errorf("strategy %q is not registered in the child", o.Strategy)
	}
	for i := range o.Count {
		seed := o.First + uint64(i)
		c.mon.begin(seed)
		job := engine.Job{Scenario: sc, Strategy: st, Seed: seed, Record: o.Record != ""}
		out := runSeed(c.host, job)
		out.Report.Findings = append(out.Report.Findings, leaked(c.host, job, out.Report)...)
		c.mon.end()
		if o.Record != "" {
			if err := record(o.Record, out.Header, out.Events); err != nil {
				return err
			}
		}
		if err := c.out.send(reply{Tally: summarize(seed, out.Report)}); err != nil {
			return err
		}
	}
	return nil
}

// runSeed is the engine's front door.
var runSeed = virtual.Run

func (c *server) heartbeat() { _ = c.out.send(reply{Alive: true}) }

// stalled gives the seed up, and the process with it: a goroutine that spins
// cannot be stopped.
func (c *server) stalled(seed uint64, f check.Finding) {
	_ = c.out.send(reply{Tally: summarize(seed, check.Report{Findings: []check.Finding{f}, Unknown: f.Detail}), Dying: true})
	os.Exit(3)
}

// leaked makes a finding of a goroutine that a lock left behind. The report
// only tells where it was started, so the run is repeated to have its stack.
func leaked(h bubble.Host, j engine.Job, r check.Report) []check.Finding {
	for _, v := range r.Violations {
		if v.Property != classLeak || !strings.HasPrefix(v.Text, "goroutine ") {
			continue
		}
		j.Record = true
		for _, e := range runSeed(h, j).Events {
			if e.Kind == history.Residue && e.Text != "" {
				return []check.Finding{{Class: classLeak, Detail: e.Detail, Stack: stack.Scrub(e.Text)}}
			}
		}
	}
	return nil
}
