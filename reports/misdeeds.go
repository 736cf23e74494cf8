package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
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

// frame is one call of a stack.
type frame struct{ Call, Place string }

// stackFrames reads the first goroutine of a stack that shows the code of the
// lock, and keeps its last calls: those of the lock itself where there are any,
// else all of them.
func stackFrames(stack string, most int) []frame {
	var all []frame
	for _, goroutine := range strings.Split(stack, "\n\n") {
		frames := parseFrames(goroutine)
		own := slices.DeleteFunc(slices.Clone(frames), func(f frame) bool { return !f.lockCode() })
		if len(own) > 0 {
			return own[:min(most, len(own))]
		}
		if len(all) == 0 {
			all = frames
		}
	}
	return all[:min(most, len(all))]
}

// parseFrames reads pairs of lines: a call, and after a tab its place.
func parseFrames(goroutine string) []frame {
	var out []frame
	lines := strings.Split(goroutine, "\n")
	for i := 0; i+1 < len(lines); i++ {
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok || strings.HasPrefix(lines[i], "\t") {
			continue
		}
		place, _, _ = strings.Cut(place, " +0x")
		out = append(out, frame{callName(lines[i]), place})
	}
	return out
}

// callName is a call without its arguments, which are addresses.
func callName(line string) string {
	call, starter := strings.CutPrefix(line, "created by ")
	if starter {
		call, _, _ = strings.Cut(call, " in goroutine ")
		return "started by " + call
	}
	if at := strings.LastIndexByte(call, '('); at > 0 && strings.HasSuffix(call, ")") {
		call = call[:at]
	}
	return call
}

// notLocks are the modules whose calls stand around a lock's.
var notLocks = []string{
	"github.com/lockchaos/simrun/internal/", "github.com/lockchaos/simrun/chaos",
	"github.com/redis/go-redis/",
}

// lockCode tells whether a call is of a lock: neither of the standard library
// nor of what runs the lock.
func (f frame) lockCode() bool {
	call := strings.TrimPrefix(f.Call, "started by ")
	for _, m := range notLocks {
		if strings.HasPrefix(call, m) {
			return false
		}
	}
	dir := call[:strings.LastIndexByte(call, '/')+1]
	pkg, _, ok := strings.Cut(call[len(dir):], ".")
	if !ok { // panic, which has no package
		return false
	}
	path := dir + pkg + "/"
	standard := !strings.Contains(dir, ".") &&
		(strings.Contains(f.Place, "/src/"+path) || strings.HasPrefix(f.Place, path))
	return !standard
}
