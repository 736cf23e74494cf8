package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/stack"
)

// deeds say what a lock did that misbehaved as a program, by the class of the
// finding.
var deeds = map[string]string{
	"panic":      "panicked",
	"blocked":    "blocked for ever",
	"spin":       "spun without a pause",
	"stuck-time": "brought virtual time to a stand",
	"leak":       "left goroutines behind",
	"died":       "died by itself",
	"refused":    "refused to start",
	"rubbish":    "answered with rubbish",
	"standstill": "was held up by the machine",
	"unwatched":  "could not be watched",
}

func deed(class string) string {
	if d := deeds[class]; d != "" {
		return d
	}
	return "misbehaved (" + class + ")"
}

// misdeeds tells in words how a lock misbehaved as a program, and how often.
func misdeeds(s results.Strategy) string {
	var out []string
	for _, f := range s.Findings {
		out = append(out, fmt.Sprintf("%s in %s of %s", deed(f.Class), thousands(f.Count), plural(s.Runs, "run", "runs")))
	}
	return list(out)
}

// did tells all that a lock did wrong; it is empty where there was nothing.
func did(s results.Strategy) string {
	var out []string
	if b := breached(s); len(b) > 0 {
		out = append(out, "breached "+list(b))
	}
	if m := misdeeds(s); m != "" {
		out = append(out, m)
	}
	return strings.Join(out, ", and ")
}

// frame is one call of a stack, as a report shows it.
type frame struct{ Call, Place string }

// stackFrames returns the innermost calls, at most most of them, of the first
// goroutine that shows the lock's code: the lock's own calls, or all of the first
// goroutine where none shows the lock.
func stackFrames(dump string, most int) []frame {
	var out []frame
	for block := range strings.SplitSeq(dump, "\n\n") {
		frames := stack.Frames(block)
		own := slices.DeleteFunc(slices.Clone(frames), func(f stack.Frame) bool { return f.Owner() != stack.Lock })
		switch {
		case len(own) > 0:
			return shownFrames(own, most)
		case out == nil:
			out = shownFrames(frames, most)
		}
	}
	return out
}

func shownFrames(frames []stack.Frame, most int) []frame {
	var out []frame
	for _, f := range frames[:min(most, len(frames))] {
		call := f.Func
		if f.Created {
			call = "started by " + call
		}
		out = append(out, frame{call, f.Place})
	}
	return out
}
