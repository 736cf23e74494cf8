package runner

import (
	"regexp"
	"strings"

	"github.com/lockchaos/simrun/internal/check"
)

// Classes of finding that this package gives; the engine gives more.
const (
	classLeak      = "leak"
	classPanic     = "panic"
	classSpin      = "spin"
	classStuckTime = check.StuckTime
)

const maxStack = 16 << 10

// maxDetail is the length of a finding's sentence in runes at most: a lock may
// panic with a whole message of its own, which its stack shows in full.
const maxDetail = 240

func shorten(s string) string {
	if r := []rune(s); len(r) > maxDetail {
		return string(r[:maxDetail-1]) + "…"
	}
	return s
}

// goroutine is one of a dump.
type goroutine struct {
	state  string // "running", "sync.Mutex.Lock", ...
	bubble bool
	text   string
}

var headerRE = regexp.MustCompile(`^goroutine \d+(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]*)\]`)

func parseStacks(dump string) []goroutine {
	var out []goroutine
	for _, block := range strings.Split(dump, "\n\n") {
		block = strings.TrimSpace(block)
		m := headerRE.FindStringSubmatch(block)
		if m == nil {
			continue
		}
		state, rest, _ := strings.Cut(m[1], ",")
		out = append(out, goroutine{
			state:  strings.TrimSuffix(state, " (durable)"),
			bubble: strings.Contains(rest, "synctest bubble"),
			text:   block,
		})
	}
	return out
}

// classify tells why virtual time stands still from the goroutines in the
// bubble: one that runs spins; where none runs, one waits for something that
// the bubble's clock cannot see, most often a mutex whose holder sleeps or
// waits for Redis.
func classify(dump string) check.Finding {
	var spinning, mutex, outside []string
	for _, g := range parseStacks(dump) {
		switch {
		case !g.bubble:
		case g.state == "running" || g.state == "runnable":
			spinning = append(spinning, g.text)
		case strings.HasPrefix(g.state, "sync.Mutex") || strings.HasPrefix(g.state, "sync.RWMutex") || g.state == "semacquire":
			mutex = append(mutex, g.text)
		case !strings.Contains(g.text, "(durable)"):
			outside = append(outside, g.text)
		}
	}
	switch {
	case len(spinning) > 0:
		return check.Finding{Class: classSpin, Detail: "a goroutine spins: it ran without a pause while virtual time stood still", Stack: scrub(strings.Join(spinning, "\n\n"))}
	case len(mutex) > 0:
		return check.Finding{Class: classStuckTime, Detail: "virtual time is stuck: a mutex is held across I/O; try this lock in live mode", Stack: scrub(strings.Join(mutex, "\n\n"))}
	case len(outside) > 0:
		return check.Finding{Class: classStuckTime, Detail: "virtual time is stuck: a goroutine waits for something outside the simulation; try this lock in live mode", Stack: scrub(strings.Join(outside, "\n\n"))}
	default:
		return check.Finding{Class: classStuckTime, Detail: "virtual time is stuck, and no goroutine shows why", Stack: scrub(dump)}
	}
}

// silent tells of a child that had to be killed, from the stacks that it left.
// Without any there is no telling whose fault it was.
func silent(dump string) check.Finding {
	if len(parseStacks(dump)) == 0 {
		return check.Finding{Class: classStuckTime, Detail: "the process fell silent and was killed; it left no stacks"}
	}
	return classify(dump)
}

var crashRE = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |SIGQUIT: |SIG[A-Z]+: |unexpected fault address)`)

// crash tells how a child died from what it left on its standard error and how
// it ended.
func crash(stderr, exit string) check.Finding {
	at := crashRE.FindStringIndex(stderr)
	if at == nil {
		return check.Finding{Class: classPanic, Detail: "the process ended: " + exit, Stack: scrub(stderr)}
	}
	dump := stderr[at[0]:]
	first, _, _ := strings.Cut(dump, "\n")
	detail := scrub(first)
	if strings.Contains(first, "synctest") && strings.Contains(first, "from outside bubble") {
		detail += ": the lock uses something made outside its run, as a Redis client or a connection of its own; use Env.Redis, or dial with Env.Redis.Options().Dialer"
	}
	return check.Finding{Class: classPanic, Detail: shorten(detail), Stack: scrub(dump)}
}

var (
	goroutineRE = regexp.MustCompile(`(?m)(goroutine|bubble) \d+`)
	minutesRE   = regexp.MustCompile(`, \d+ minutes`)
	argsRE      = regexp.MustCompile(`(?m)^(\S.*)\([^()\n]*0x[^()\n]*\)$`)
	hexRE       = regexp.MustCompile(`0x[0-9a-f]+`)
)

// scrub takes out of a stack what differs between two runs of one seed:
// goroutine numbers, addresses and argument words.
func scrub(s string) string {
	s = goroutineRE.ReplaceAllString(s, "$1 N")
	s = minutesRE.ReplaceAllString(s, "")
	s = argsRE.ReplaceAllString(s, "$1(...)")
	s = hexRE.ReplaceAllString(s, "0x…")
	if len(s) > maxStack {
		s = strings.ToValidUTF8(s[:maxStack], "") + "\n… cut"
	}
	return strings.TrimSpace(s)
}
