package cli

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/text"
)

// maxSeeds bounds -seeds, far beyond what anybody waits for.
const maxSeeds = 1_000_000_000

type flags struct {
	scenario, strategy, out string
	seeds, procs            int
	seed                    uint64
	verbose, quiet, help    bool

	mode, redis, toxiproxy, worker string // live mode
	scale                          float64
	shared                         bool

	set []string // the names of those that were given
}

// defaultSeeds are run where neither -seeds nor -seed is given.
const defaultSeeds = 100

func (f *flags) define() *flag.FlagSet {
	fs := flag.NewFlagSet("simrun", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&f.scenario, "scenario", "", "`names` or files of scenarios, separated by commas, or all")
	fs.StringVar(&f.strategy, "strategy", "", "`names` of strategies, separated by commas (default: those that the scenario expects something of)")
	fs.StringVar(&f.out, "out", "", "result `folder` (default results/<time>-<scenario>, with a link results/latest)")
	f.seeds = defaultSeeds
	fs.Func("seeds", "`number` of seeds for each strategy, from 1 on (default 100)", whole(&f.seeds, 1, maxSeeds))
	fs.Func("seed", "run this `one` seed and print what happened, step by step", func(s string) (err error) {
		if f.seed, err = strconv.ParseUint(s, 10, 64); err != nil || f.seed == 0 {
			return errors.New("want a whole number from 1")
		}
		return nil
	})
	fs.Func("procs", "`number` of processes at once (default: one per core; live: 6)", whole(&f.procs, 1, 1024))
	fs.BoolVar(&f.verbose, "v", false, "print each strategy's first violation step by step")
	fs.BoolVar(&f.quiet, "q", false, "do not show progress")
	f.mode = modeSim
	fs.Func("mode", "`sim` in virtual time (default), live with real processes, Toxiproxy and Redis, or both", func(s string) error {
		if s != modeSim && s != modeLive && s != modeBoth {
			return errors.New("want sim, live or both")
		}
		f.mode = s
		return nil
	})
	f.scale = live.DefaultScale
	fs.Func("scale", "live: `times` faster than the scenario's times (default 30)", func(s string) (err error) {
		if f.scale, err = strconv.ParseFloat(s, 64); err != nil || !(f.scale >= 1 && f.scale <= 1000) { // which NaN is not
			return errors.New("want a number from 1 to 1000")
		}
		return nil
	})
	fs.StringVar(&f.redis, "redis", redisserver.Miniredis, "live: the `server`: miniredis, redis-server, host:port or redis://:password@host:port; its database 0")
	fs.BoolVar(&f.shared, "redis-shared", false, "live: use the server even if it holds keys that are not simrun's")
	fs.StringVar(&f.toxiproxy, "toxiproxy", "", "live: `host:port` of the API of a Toxiproxy on this machine (default: an embedded one)")
	fs.StringVar(&f.worker, "worker", "", "live: `command` of a worker in any language, see docs/worker-protocol.md (default: simrun itself)")
	return fs
}

// The modes.
const (
	modeSim  = "sim"
	modeLive = "live"
	modeBoth = "both"
)

// liveFlags are valid in live mode only.
var liveFlags = []string{"scale", "redis", "redis-shared", "toxiproxy", "worker"}

// whole reads a whole number within bounds.
func whole(into *int, low, high int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return errors.New("want a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high))
		}
		*into = n
		return nil
	}
}

// parse reads flags wherever they stand, and returns what is no flag.
func parse(args []string) (*flags, []string, error) {
	f := &flags{}
	fs := f.define()
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				f.help = true
				return f, nil, nil
			}
			return nil, nil, flagError(err, f.names())
		}
		if fs.NArg() == 0 {
			break
		}
		rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
	}
	fs.Visit(func(x *flag.Flag) { f.set = append(f.set, x.Name) })
	if f.given("seed") && f.given("seeds") {
		return nil, nil, usagef("-seed runs one seed and -seeds many; give one of them")
	}
	return f, rest, f.checkLive()
}

// checkLive rejects live-only flags outside live mode, and explicitly empty values
// (an unset shell variable), which must not silently mean the default.
func (f *flags) checkLive() error {
	empty := map[string]bool{"redis": f.redis == "", "toxiproxy": f.toxiproxy == "", "worker": f.worker == ""}
	for _, name := range liveFlags {
		switch {
		case !f.given(name):
		case f.mode == modeSim:
			return usagef("-%s goes with -mode live or both", name)
		case empty[name]:
			return usagef("-%s is empty; leave it out for the default", name)
		}
	}
	return nil
}

// flagError distinguishes a flag that does not exist from one with a bad value.
func flagError(err error, names []string) error {
	said := err.Error()
	if name, unknown := strings.CutPrefix(said, "flag provided but not defined: -"); unknown {
		for i := range names {
			names[i] = "-" + names[i]
		}
		return usagef("unknown flag -%s; %s", name, text.Suggest("-"+name, names))
	}
	return usageError{said}
}

func (f *flags) given(name string) bool { return slices.Contains(f.set, name) }

// names lists all flags.
func (f *flags) names() []string {
	var out []string
	(&flags{}).define().VisitAll(func(x *flag.Flag) { out = append(out, x.Name) })
	return out
}

// firstUnsupported returns the first flag given that is not among the allowed
// ones, or "".
func (f *flags) firstUnsupported(allowed []string) string {
	for _, name := range f.set {
		if !slices.Contains(allowed, name) {
			return name
		}
	}
	return ""
}

// env is what a verb works with.
type env struct {
	out, err io.Writer
	flags    *flags
	args     []string // what stood beside the flags and the verb
}
