package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
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

// Child serves the process that started this one, and never returns. Call it if
// [IsChild], after all strategies are registered and before anything else. A lock
// that prints to the standard output prints to the standard error instead, since
// the standard output belongs to the protocol.
func Child() {
	stall, err := time.ParseDuration(os.Getenv(childEnv))
	if err != nil {
		fmt.Fprintf(os.Stderr, "simrun: %s: %v\n", childEnv, err)
		os.Exit(1)
	}
	// A lock under test may start this binary too, which is then not a child.
	os.Unsetenv(childEnv)
	// The terminal signals the whole group; what to do is for the parent to decide.
	signal.Ignore(os.Interrupt, syscall.SIGHUP)
	collectLess()
	out := &wire{w: os.Stdout}
	os.Stdout = os.Stderr
	bubble.Main(func(h bubble.Host) int {
		c := &server{host: h, out: out}
		c.mon = &monitor{bound: stall, alive: c.heartbeat, stall: c.stalled}
		go c.mon.watch()
		_ = out.send(reply{Error: c.serve(os.Stdin).Error()})
		return 1
	})
}

// collectLess trades memory for time: a run leaves a lot of garbage, most of it
// short-lived, and collecting as often as usual costs a third of the time. The
// parent sets the limit above which the collector works as hard as it must.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// server runs the seeds that it is ordered to run.
type server struct {
	host bubble.Host
	out  *wire
	mon  *monitor

	definition definition // of scenario
	scenario   *scenarios.Scenario
}

// serve runs orders until one fails; the process exits at the end of in. Orders are
// read ahead, so that it also exits in the middle of a seed once its parent has
// died.
func (c *server) serve(in io.Reader) error {
	if err := c.out.send(reply{Hello: wireVersion}); err != nil {
		return err
	}
	orders := make(chan order)
	var failed error
	go func() {
		defer close(orders)
		dec := json.NewDecoder(bufio.NewReader(in))
		for {
			var o order
			if failed = dec.Decode(&o); failed != nil {
				break
			}
			orders <- o
		}
		if errors.Is(failed, io.EOF) {
			os.Exit(0)
		}
	}()
	for o := range orders {
		if err := c.obey(o); err != nil {
			return err
		}
	}
	return fmt.Errorf("reading an order: %w", failed)
}

// load reads a scenario just as the parent read it.
func (c *server) load(d definition) (err error) {
	if c.scenario != nil && reflect.DeepEqual(c.definition, d) {
		return nil
	}
	c.definition = d
	if d.Source == nil {
		c.scenario, err = scenarios.Load(d.Name)
	} else if c.scenario, err = scenarios.Parse(d.File, d.Source); err == nil {
		c.scenario.File = d.File
	}
	return err
}

func (c *server) obey(o order) error {
	if err := c.load(o.Scenario); err != nil {
		return fmt.Errorf("scenario %s: %w", o.Scenario.Name, err)
	}
	st, ok := strategy.Lookup(o.Strategy)
	if !ok {
		return fmt.Errorf("strategy %q is not registered in the child", o.Strategy)
	}
	for i := range o.Count {
		seed := o.First + uint64(i)
		c.mon.begin(seed)
		job := engine.Job{Scenario: c.scenario, Strategy: st, Seed: seed, Record: o.Record != ""}
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

// runSeed runs one seed; tests replace it.
var runSeed = virtual.Run

func (c *server) heartbeat() { _ = c.out.send(reply{Alive: true}) }

// stalled gives up the seed, and the process with it: a spinning goroutine cannot
// be stopped.
func (c *server) stalled(seed uint64, f check.Finding) {
	_ = c.out.send(reply{Tally: summarize(seed, check.Report{Findings: []check.Finding{f}, Unknown: f.Detail}), Dying: true})
	os.Exit(3)
}

// leaked returns a finding for a goroutine that the lock left behind. The report
// only says where it was started, so the run is repeated to get its stack.
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
