package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/internal/text"
)

// liveProcs is the default of -procs for live runs: their processes mostly wait.
const liveProcs = 6

// The modes.
const (
	modeSim  = "sim"
	modeLive = "live"
	modeBoth = "both"
)

const (
	maxSeeds     = 1_000_000_000 // more than anyone would wait for
	defaultSeeds = 100           // without -seeds and -seed
)

type flags struct {
	scenario, strategy, out string
	baseline                string
	seeds, procs            int
	seed                    uint64
	verbose, quiet, help    bool

	mode, redis, toxiproxy, worker string // live mode
	scale                          float64
	shared                         bool

	values map[string]string // what was given, as it was typed
}

// flagDef is one flag and where it may be given.
type flagDef struct {
	name, usage string
	set         func(string) error
	toggle      bool // it needs no value
	live        bool // it needs -mode live or both
	check       bool // it goes with the verb check, too; all go with run
}

// defs lists all flags, which set f.
func (f *flags) defs() []flagDef {
	return []flagDef{
		{name: "scenario", usage: "`names` or files of scenarios, separated by commas, or all", set: str(&f.scenario)},
		{name: "strategy", usage: "`names` of strategies, separated by commas (default: those that the scenario has expectations about)", set: str(&f.strategy)},
		{name: "out", usage: "result `folder` (default results/<time>-<scenario>, with a link results/latest)", set: str(&f.out)},
		{name: "baseline", usage: "result `folder` or file to compare with: the exit code is then about change alone", set: str(&f.baseline)},
		{name: "seeds", usage: fmt.Sprintf("`number` of seeds for each strategy, starting at 1 (default %d)", defaultSeeds), set: whole(&f.seeds, 1, maxSeeds)},
		{name: "seed", usage: "run this `one` seed and print what happened, step by step", set: parsed(&f.seed, "a whole number from 1",
			func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }, func(n uint64) bool { return n > 0 })},
		{name: "procs", usage: fmt.Sprintf("`number` of processes at once (default: one per core; live: %d)", liveProcs), set: whole(&f.procs, 1, 1024)},
		{name: "v", usage: "print each strategy's first violation step by step", set: boolean(&f.verbose), toggle: true, check: true},
		{name: "q", usage: "do not show progress", set: boolean(&f.quiet), toggle: true},
		{name: "mode", usage: "`sim` in virtual time (default), live with real processes, Toxiproxy and Redis, or both", set: parsed(&f.mode, "sim, live or both",
			asIs, func(s string) bool { return s == modeSim || s == modeLive || s == modeBoth })},
		{name: "scale", live: true, usage: fmt.Sprintf("`times` faster than the scenario's times (default %d)", live.DefaultScale), set: parsed(&f.scale, "a number from 1 to 1000",
			func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }, func(x float64) bool { return x >= 1 && x <= 1000 })},
		{name: "redis", live: true, usage: "the `server`: miniredis (default), redis-server, host:port or redis://:password@host:port (database 0 is used)", set: str(&f.redis)},
		{name: "redis-shared", live: true, usage: "use the server even if it holds keys that are not simrun's", set: boolean(&f.shared), toggle: true},
		{name: "toxiproxy", live: true, usage: "`host:port` of the API of a Toxiproxy on this machine (default: an embedded one)", set: str(&f.toxiproxy)},
		{name: "worker", live: true, usage: "`command` of a worker in any language, see docs/worker-protocol.md (default: simrun itself)", set: str(&f.worker)},
	}
}

// parsed reads a value that is valid, and otherwise says what is wanted.
func parsed[T any](into *T, want string, parse func(string) (T, error), valid func(T) bool) func(string) error {
	return func(s string) error {
		v, err := parse(s)
		if err != nil || !valid(v) {
			return errors.New("want " + want)
		}
		*into = v
		return nil
	}
}

func always[T any](T) bool { return true }

func asIs(s string) (string, error) { return s, nil }

func str(into *string) func(string) error { return parsed(into, "", asIs, always) }

func boolean(into *bool) func(string) error {
	return parsed(into, "true or false", strconv.ParseBool, always)
}

// whole reads a whole number within bounds.
func whole(into *int, low, high int) func(string) error {
	return parsed(into, fmt.Sprintf("a whole number from %d to %d", low, high), strconv.Atoi, func(n int) bool { return low <= n && n <= high })
}

// flagSet defines the flags of f.
func (f *flags) flagSet() *flag.FlagSet {
	*f = flags{seeds: defaultSeeds, mode: modeSim, scale: live.DefaultScale, redis: redisserver.Miniredis, values: map[string]string{}}
	fs := flag.NewFlagSet("simrun", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, d := range f.defs() {
		usage := d.usage
		if d.live {
			usage = "live: " + usage
		}
		set := func(s string) error {
			f.values[d.name] = s
			return d.set(s)
		}
		if d.toggle {
			fs.BoolFunc(d.name, usage, set)
		} else {
			fs.Func(d.name, usage, set)
		}
	}
	return fs
}

// parseFlags reads flags wherever they stand, and returns the other arguments.
func parseFlags(args []string) (*flags, []string, error) {
	f := &flags{}
	fs := f.flagSet()
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				f.help = true
				return f, nil, nil
			}
			return nil, nil, flagError(err, fs)
		}
		if fs.NArg() == 0 {
			break
		}
		rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
	}
	return f, rest, nil
}

// flagError distinguishes a flag that does not exist from one with a bad value.
func flagError(err error, fs *flag.FlagSet) error {
	said := err.Error()
	name, unknown := strings.CutPrefix(said, "flag provided but not defined: -")
	if !unknown {
		return usageError{err}
	}
	var names []string
	fs.VisitAll(func(x *flag.Flag) { names = append(names, "-"+x.Name) })
	return usagef("unknown flag -%s; %s", name, text.Suggest("-"+name, names))
}

func (f *flags) given(name string) bool {
	_, given := f.values[name]
	return given
}

// check rejects flags that do not go with the verb of that name or with each other, and live
// flags with an empty value (an unset shell variable), which must not silently mean
// the default.
func (f *flags) check(name string) error {
	if f.given("seed") && f.given("seeds") {
		return usagef("-seed runs one seed and -seeds many; give one of them")
	}
	if f.given("baseline") && f.mode == modeBoth {
		return usagef("-baseline does not go with -mode both; compare one mode at a time")
	}
	for _, d := range f.defs() {
		switch value, given := f.values[d.name]; {
		case !given:
		case name != verbRun && !(d.check && name == verbCheck):
			return usagef("-%s does not go with %s; see %s help", d.name, name, program())
		case !d.live:
		case f.mode == modeSim:
			return usagef("-%s goes with -mode live or both", d.name)
		case value == "":
			return usagef("-%s is empty; leave it out for the default", d.name)
		}
	}
	return nil
}

// liveArguments repeats the live-only flags that were given, for a command that
// replays a run.
func (f *flags) liveArguments() string {
	return f.arguments(func(d flagDef) bool { return d.live })
}

// arguments repeats the chosen ones of the flags that were given. It leaves the
// password out.
func (f *flags) arguments(chosen func(flagDef) bool) string {
	var b strings.Builder
	for _, d := range f.defs() {
		value, given := f.values[d.name]
		if !given || !chosen(d) {
			continue
		}
		b.WriteString(" -" + d.name)
		if d.name == "redis" {
			value = redisserver.Redacted(value)
		}
		switch {
		case !d.toggle:
			b.WriteString(" " + runner.Quote(value))
		case value != "true":
			b.WriteString("=" + value)
		}
	}
	return b.String()
}

// verbs that flags go with.
const (
	verbRun   = "run"
	verbCheck = "check"
)

// env is what a verb works with.
type env struct {
	out, err io.Writer
	flags    *flags
	began    time.Time
	args     []string // what stood beside the flags and the verb
}
