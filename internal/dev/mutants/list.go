package main

import (
	"strings"

	"github.com/lockchaos/simrun/internal/check"
)

// The lines that are broken, and the tests that should notice: a package and a
// pattern of its tests.
var mutants = append(checkersOff(), []mutant{
	// A lock that is wrong in one line.
	{
		name:  "token: release without an owner check",
		file:  "lock/lua/token_release.lua",
		old:   `if redis.call('get', KEYS[1]) == ARGV[1] then`,
		new:   `if redis.call('exists', KEYS[1]) == 1 then`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/expiry/token"},
	},
	{
		name:  "watchdog: release without an owner check",
		file:  "lock/lua/release.lua",
		old:   `answer = redis.call('hdel', lock, ARGV[i])`,
		new:   `answer = redis.call('exists', lock)`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/pause-before-write"},
	},
	{
		name:  "watchdog: renewal without an owner check",
		file:  "lock/lua/renew.lua",
		old:   `if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then`,
		new:   `if redis.call('exists', KEYS[1]) == 0 then`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/gc-pause"},
	},
	{
		name:  "capped: releases before it cancels",
		file:  "lock/renewal.go",
		old:   `	hd.lose(ErrRenewalCapped)`,
		new:   `	defer hd.lose(ErrRenewalCapped)`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/overrun/capped"},
	},
	{
		name:  "capped: does not wait for the rollback",
		file:  "lock/renewal.go",
		old:   `	end := hd.expiry.Add(-hd.cfg.margin())`,
		new:   `	end := time.Now().Add(-hd.cfg.margin())`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/overrun/capped"},
	},
	{
		name:  "guarded: counts the lease from after the acquisition's reply",
		file:  "lock/handle.go",
		old:   `if e := a.h.admit(inside, a.nonce, value, sent); e != nil {`,
		new:   `if e := a.h.admit(inside, a.nonce, value, time.Now()); e != nil {`,
		tests: []string{"./lock ."},
	},
	{
		name:  "guarded: counts the lease from after the renewal's reply",
		file:  "lock/renewal.go",
		old:   `		hd.prolongLocked(sent, hd.cfg.lease)`,
		new:   `		hd.prolongLocked(time.Now(), hd.cfg.lease)`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/slow-replies/guarded"},
	},
	{
		name:  "guarded: no margin for drift",
		file:  "lock/timing.go",
		old:   `	return time.Duration(float64(lease)*fraction) + fixed`,
		new:   `	return 0`,
		tests: []string{"./lock ."},
	},
	{
		name:  "fenced: the token is drawn in a command of its own",
		file:  "lock/handle.go",
		old:   `	case answerHeld:`,
		new:   `	case answerHeld: if value != 0 { value = a.h.rdb.Incr(a.ctx, a.h.names.fence).Val() }`,
		tests: []string{"./lock ."},
	},
	{
		name:  "fenced: the token does not grow",
		file:  "lock/lua/acquire.lua",
		old:   `  token = redis.call('incr', counter)`,
		new:   `  token = 1`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/pause-before-write/fenced"},
	},
	{
		name:  "watchdog: a resent acquire counts twice",
		file:  "lock/lua/acquire.lua",
		old:   `local resent = redis.call('hexists', lock, nonce) == 1`,
		new:   `local resent = false`,
		tests: []string{"./lock .", "./internal/virtual TestLibraryHolds/reply-lost/watchdog"},
	},
	{
		name:  "watchdog: a resent release is told that it held nothing",
		file:  "lock/lua/release.lua",
		old:   `    redis.call('set', tombstone, answer, 'px', ARGV[3])`,
		new:   ``,
		tests: []string{"./lock ."},
	},

	// A world whose faults do not bite, or a resource that does not refuse.
	{
		name: "world: a pause stops nothing",
		file: "internal/virtual/faultworld.go",
		old: `	gate(p).Stop()
	return gate(p).Open,`,
		new: `	_ = p
	return func() {},`,
		tests: []string{"./internal/virtual TestLibraryHolds/gc-pause"},
	},
	{
		name:  "world: a clock jump does not move the clock",
		file:  "internal/miniserver/clock.go",
		old:   `	c.steps += d`,
		new:   ``,
		tests: []string{"./internal/virtual TestLibraryHolds/clock-jump"},
	},
	{
		name:  "world: a restart keeps the data",
		file:  "internal/miniserver/server.go",
		old:   `		s.Mini.FlushAll()`,
		new:   ``,
		tests: []string{"./internal/virtual TestLibraryHolds/redis-restart/naive"},
	},
	{
		name:  "world: a failover loses nothing",
		file:  "internal/miniserver/replica.go",
		old:   `	for len(r.held) > 1 && now.Sub(r.held[1].since) >= r.lag {`,
		new:   `	for len(r.held) > 1 {`,
		tests: []string{"./internal/miniserver .", "./internal/virtual TestLibraryHolds/failover/naive"},
	},
	{
		name:  "watchdog: one failed renewal ends them all",
		file:  "lock/renewal.go",
		old:   `		failed = err != nil`,
		new:   `		if failed = err != nil; failed { return }`,
		tests: []string{"./internal/virtual TestLibraryHolds/redis-restart-kept/watchdog"},
	},
	{
		name: "world: a lost reply arrives",
		file: "internal/virtual/redis.go",
		old: `	fired := c.takeLoss()
	if fired == nil {`,
		new: `	fired := c.takeLoss()
	if true {`,
		tests: []string{"./internal/virtual TestLibraryHolds/reply-lost"},
	},
	{
		name:  "resource: an old fencing token is accepted",
		file:  "internal/engine/resource.go",
		old:   `	refused := e.Fence > 0 && e.Fence < r.fence`,
		new:   `	refused := false`,
		tests: []string{"./internal/virtual TestLibraryHolds/delayed-write/fenced"},
	},
	{
		name:  "world: a fault never fires",
		file:  "internal/engine/nemesis.go",
		old:   `		return who, f.seen%f.plan.Every == 0`,
		new:   `		return who, false`,
		tests: []string{"./internal/virtual TestLibraryHolds/gc-pause/naive"},
	},

	{
		name:  "lock: how long its client waits for a reply is not heeded",
		file:  "lock/timing.go",
		old:   `			d = min(d, t)`,
		new:   `			d = max(d, 0)`,
		tests: []string{"./lock TestLateCopyOfAFailedAcquire"},
	},

	// A live world that is wrong in one line.
	{
		name:  "live: a key in its last millisecond is taken to live for ever",
		file:  "internal/live/observer.go",
		old:   `	if left < 0 {`,
		new:   `	if left <= 0 {`,
		tests: []string{"./internal/live TestEndOfAKey"},
	},
	{
		name:  "live: a partition puts no toxic on the proxy",
		file:  "internal/live/proxy.go",
		old:   `	if _, err := p.p.AddToxic(name, t.Type, t.Stream, float32(t.Toxicity), scaled(t.Attributes, scale)); err != nil {`,
		new:   `	if err := error(nil); err != nil {`,
		tests: []string{"./internal/live TestFaultsAreReal/partition"},
	},
	{
		name:  "live: a paused worker is not stopped",
		file:  "internal/proc/child.go",
		old:   `signalGroup(c.Pid(), sigStop)`,
		new:   `error(nil)`,
		tests: []string{"./internal/live TestFaultsAreReal/gc-pause"},
	},
	{
		name:  "live: what was seen live only agrees",
		file:  "internal/results/agreement.go",
		old:   `		return false, "never in virtual time. It turns on " + depends`,
		new:   `		return true, "never in virtual time. It turns on " + depends`,
		tests: []string{"./internal/results ."},
	},

	// What turns evidence into a verdict, wrong in one line.
	{
		name:  "verdict: one run may show what must not happen",
		file:  "internal/runner/expect.go",
		old:   "	case scenarios.None:\n		if e.with > 0 {",
		new:   "	case scenarios.None:\n		if e.with > 1 {",
		tests: []string{"./internal/runner TestRule|TestReplay"},
	},
	{
		name:  "verdict: what never happened is broken after one run",
		file:  "internal/runner/expect.go",
		old:   `const enoughForNever = 20`,
		new:   `const enoughForNever = 1`,
		tests: []string{"./internal/runner TestRule|TestUnknownRuns"},
	},
	{
		name:  "verdict: the seed that is shown for every is any seed",
		file:  "internal/runner/expect.go",
		old:   `		return e.firstWithout`,
		new:   `		return e.first`,
		tests: []string{"./internal/runner ."},
	},
	{
		name:  "verdict: a violation of an unknown run does not count",
		file:  "internal/runner/aggregate.go",
		old:   `want == scenarios.None && proof.with > 0`,
		new:   `want == scenarios.None && proof == nil`,
		tests: []string{"./internal/runner TestAggregate|TestUnknownRuns"},
	},
	{
		name:  "verdict: unknown runs do not make a cell unknown",
		file:  "internal/runner/cell.go",
		old:   `	case r.UnknownRuns > 0:`,
		new:   `	case r.UnknownRuns > r.Runs:`,
		tests: []string{"./internal/runner TestUnknownRuns|TestMisbehaviour|TestAProcess"},
	},
	{
		name:  "verdict: a crash of simrun is held against the lock",
		file:  "internal/runner/stacks.go",
		old:   `	return owner == stack.Simrun || owner == stack.Bundled`,
		new:   `	return owner == stack.Bundled`,
		tests: []string{"./internal/runner TestACrash|TestCrash"},
	},
	{
		name:  "verdict: a whole passes though its second part fails",
		file:  "internal/results/verdict.go",
		old:   `	case v == Fail || w == Fail:`,
		new:   `	case v == Fail:`,
		tests: []string{"./internal/results ."},
	},
	{
		name:  "check: a history without its end is enough evidence",
		file:  "internal/check/report.go",
		old:   `	if !t.st.ended {`,
		new:   `	if t.st == nil {`,
		tests: []string{"./internal/check TestTooLittleEvidence"},
	},
	{
		name:  "check: a run whose fault never fired is enough evidence",
		file:  "internal/check/report.go",
		old:   `		if t.unfired[id] {`,
		new:   `		if t.unfired[id] && len(t.why) > 0 {`,
		tests: []string{"./internal/check TestTooLittleEvidence"},
	},
	{
		name:  "cli: a failed verdict exits as an unknown one",
		file:  "internal/cli/env.go",
		old:   `		return ExitFail`,
		new:   `		return ExitUnknown`,
		tests: []string{"./internal/cli TestScripts/(check|expectations)"},
	},
}...)

// checkersOff lets one property after the other see nothing.
func checkersOff() []mutant {
	var out []mutant
	for _, p := range check.Properties {
		first, rest, _ := strings.Cut(p.Name, "-")
		for word := range strings.SplitSeq(rest, "-") {
			if word != "" {
				first += strings.ToUpper(word[:1]) + word[1:]
			}
		}
		out = append(out, mutant{
			name: "check: " + p.Name + " is switched off",
			file: "internal/check/judge.go",
			old:  "\t" + first + "Property,\n",
			new:  "\toff(" + first + "Property),\n",
			extra: `
func off(p Property) Property {
	p.watch = func(*state, int64) checker { return &breaches{} }
	return p
}

func (*breaches) event(*history.Event) {}
`,
			tests: []string{"./internal/check ."},
		})
	}
	return out
}
