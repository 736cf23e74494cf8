package runner

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/stack"
)

// Classes of findings made by this package; the engine makes more.
const (
	classLeak      = "leak"
	classPanic     = "panic"
	classSpin      = "spin"
	classStuckTime = check.StuckTime
)

// maxDetail is the greatest length of a finding's sentence in runes: a lock may
// panic with a long message, which its stack shows in full.
const maxDetail = 240

func shorten(s string) string {
	if r := []rune(s); len(r) > maxDetail {
		return string(r[:maxDetail-1]) + "…"
	}
	return s
}

// classify finds out from the goroutines in the bubble why virtual time stands
// still: one that runs is spinning; if none runs, one waits for something that
// the bubble's clock cannot see, most often a mutex whose holder sleeps or waits
// for Redis.
func classify(dump string) check.Finding {
	var spinning, outside []string
	var mutex, others []stack.Goroutine
	for _, g := range stack.Parse(dump) {
		switch {
		case g.Bubble == "":
		case g.State == "running" || g.State == "runnable":
			spinning = append(spinning, g.Text)
		case strings.HasPrefix(g.State, "sync.Mutex") || strings.HasPrefix(g.State, "sync.RWMutex") || g.State == "semacquire":
			mutex = append(mutex, g)
		case !g.Durable:
			outside = append(outside, g.Text)
			others = append(others, g)
		default:
			others = append(others, g)
		}
	}
	blame := func(class, detail string, goroutines ...string) check.Finding {
		return check.Finding{Class: class, Detail: detail, Stack: stack.Scrub(strings.Join(goroutines, "\n\n"))}
	}
	switch {
	case len(spinning) > 0:
		return blame(classSpin, "a goroutine spins: it ran without a pause while virtual time stood still", spinning...)
	case len(mutex) > 0:
		detail, goroutines := heldAcrossIO(mutex, others)
		return blame(classStuckTime, detail, goroutines...)
	case len(outside) > 0:
		return blame(classStuckTime, "virtual time is stuck: a goroutine waits for something outside the simulation; try this lock in live mode", outside...)
	default:
		return blame(classStuckTime, "virtual time is stuck, and no goroutine shows why", dump)
	}
}

// heldAcrossIO says who holds the mutex that goroutines wait for, with the holder's
// stack first.
func heldAcrossIO(waiters, others []stack.Goroutine) (detail string, goroutines []string) {
	found := holders(waiters, others)
	for _, h := range found {
		goroutines = append(goroutines, h.goroutine.Text)
	}
	for _, w := range waiters {
		goroutines = append(goroutines, w.Text)
	}
	detail = "virtual time is stuck: a mutex is held across I/O"
	if len(found) > 0 {
		at := found[0].frame
		detail += " or a sleep, most likely in " + at.Func
		if at.Owner() == stack.Redis {
			detail += ": go-redis froze the run, and not the lock's own code"
		}
	}
	return detail + "; try this lock in live mode", goroutines
}

// silent makes a finding of the output of a child that had to be killed. Without
// stacks in it, nothing shows whose fault that was.
func silent(dump string) check.Finding {
	if len(stack.Parse(dump)) == 0 {
		return check.Finding{Class: classStuckTime, Detail: "the process fell silent and was killed; it left no stacks"}
	}
	return classify(dump)
}

var crashRE = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |SIGQUIT: |SIG[A-Z]+: |unexpected fault address)`)

// crash explains how a child died from its standard error and its exit status.
// The error is [ErrInternal], with the stack, if the code that panicked is simrun's
// own or that of a library that makes its world.
func crash(stderr, exit string) (check.Finding, error) {
	at := crashRE.FindStringIndex(stderr)
	if at == nil {
		return check.Finding{Class: classPanic, Detail: "the process ended: " + exit, Stack: stack.Scrub(stderr)}, nil
	}
	dump := stderr[at[0]:]
	if internalCrash(dump) {
		return check.Finding{}, fmt.Errorf("%w:\n%s", ErrInternal, stack.Scrub(dump))
	}
	first, _, _ := strings.Cut(dump, "\n")
	detail := stack.Scrub(first)
	if strings.Contains(first, "synctest") && strings.Contains(first, "from outside bubble") {
		detail += ": the lock uses something made outside its run, such as its own Redis client or connection; use Env.Redis, or dial with Env.Redis.Options().Dialer"
	}
	return check.Finding{Class: classPanic, Detail: shorten(detail), Stack: stack.Scrub(dump)}, nil
}

// internalCrash reports whether a crash was simrun's fault: one caused by a single
// goroutine whose panicking code is not the lock's. A deadlock, or running out of
// memory, has no such goroutine.
func internalCrash(dump string) bool {
	ofOne := strings.HasPrefix(dump, "panic: ") || strings.HasPrefix(dump, "fatal error: concurrent map")
	if !ofOne || strings.HasPrefix(dump, "panic: deadlock: ") {
		return false
	}
	goroutines := stack.Parse(dump)
	if len(goroutines) == 0 {
		return false
	}
	owner := goroutines[0].Culprit().Owner()
	return owner == stack.Simrun || owner == stack.Bundled
}
