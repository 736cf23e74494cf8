package runner

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockchaos/simrun/internal/stack"
)

// A dump says who waits for a mutex and not who holds it. The holder is looked for
// among the goroutines that wait for something else, by what ties a call to the
// mutex, the strongest tie first: see ties.

// holder is a goroutine that most likely holds a mutex, and its innermost call that
// is tied to it.
type holder struct {
	goroutine stack.Goroutine
	frame     stack.Frame
}

// holders finds who holds what the waiters wait for, in an order that does not
// depend on the runtime; nobody if nothing ties anyone to it.
func holders(waiters, others []stack.Goroutine) []holder {
	for _, tied := range ties {
		var out []holder
		for _, g := range others {
			if f, ok := tiedFrame(g, waiters, tied); ok {
				out = append(out, holder{g, f})
			}
		}
		if len(out) > 0 {
			slices.SortFunc(out, func(a, b holder) int {
				return strings.Compare(stack.Scrub(a.goroutine.Text), stack.Scrub(b.goroutine.Text))
			})
			return out
		}
	}
	return nil
}

func tiedFrame(g stack.Goroutine, waiters []stack.Goroutine, tied func(stack.Frame, wanted) bool) (stack.Frame, bool) {
	for _, w := range waiters {
		want := wantedBy(w)
		for i, f := range g.Frames {
			if f.Created || f.Owner() == stack.Simrun || f.Owner() == stack.Bundled || !tied(f, want) {
				continue
			}
			// A call that is inlined shows no values, but its kin.
			for i > 0 && g.Frames[i-1].Args == "..." && family(g.Frames[i-1].Func) == family(f.Func) {
				i--
				f = g.Frames[i]
			}
			// A once is held by the call that it makes.
			for i > 0 && f.Owner() == stack.Standard {
				i--
				f = g.Frames[i]
			}
			return f, true
		}
	}
	return stack.Frame{}, false
}

// wanted is what is known of the mutex that a goroutine waits for.
type wanted struct {
	addresses []uint64    // of what package sync was called with: the mutex, or what it is part of
	by        stack.Frame // the call that locks it
}

func wantedBy(w stack.Goroutine) wanted {
	for i, f := range w.Frames {
		if p := f.Package(); p != "sync" && p != "internal/sync" && p != "runtime" && p != "internal/runtime/sync" {
			var addresses []uint64
			for _, inner := range w.Frames[:i] {
				addresses = append(addresses, pointers(inner)...)
			}
			return wanted{addresses, f}
		}
	}
	return wanted{}
}

// ties say whether a call has to do with a mutex: it is called with it (as a Once's
// function is); with the value that the waiting call is a method of; it is a method of
// the same type, or part of the same function; it is of the same package, and called
// with a value that the mutex is likely part of.
var ties = []func(stack.Frame, wanted) bool{
	func(f stack.Frame, w wanted) bool {
		return f.Package() == "sync" && slices.ContainsFunc(pointers(f), func(p uint64) bool { return slices.Contains(w.addresses, p) })
	},
	func(f stack.Frame, w wanted) bool {
		mine, its := pointers(f), pointers(w.by)
		return len(mine) > 0 && len(its) > 0 && mine[0] == its[0]
	},
	func(f stack.Frame, w wanted) bool { return f.Func != "" && family(f.Func) == family(w.by.Func) },
	func(f stack.Frame, w wanted) bool {
		mine := pointers(f)
		return len(mine) > 0 && f.Package() == w.by.Package() && slices.ContainsFunc(w.addresses, func(a uint64) bool { return a >= mine[0] && a-mine[0] < partOf })
	},
}

// partOf is how far into a value a mutex may lie, in bytes.
const partOf = 512

var pointerRE = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// pointers are what may be addresses among a call's arguments.
func pointers(f stack.Frame) (out []uint64) {
	for _, s := range pointerRE.FindAllString(f.Args, -1) {
		if p, err := strconv.ParseUint(s[2:], 16, 64); err == nil {
			out = append(out, p)
		}
	}
	return out
}

var closureRE = regexp.MustCompile(`(\.func\d+|\.\d+|\.gowrap\d+|-range\d+)+$`)

// family is what a function shares with others that use the same mutex: the type of
// which it is a method, or else the function whose closure it is.
func family(name string) string {
	name = closureRE.ReplaceAllString(name, "")
	if at := strings.LastIndex(name, ")."); at > 0 {
		return name[:at+1]
	}
	return name
}
