package reports

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// TerminalOptions says for what terminal a table is.
type TerminalOptions struct {
	Width   int    // columns; 0 has no limit
	Colour  bool   // ANSI colours
	Details bool   // every scenario in full, where there are many
	Dir     string // the result folder, whose files the last lines name; empty names none
}

type terminal struct {
	o   TerminalOptions
	s   style
	out strings.Builder
}

func (t *terminal) line(parts ...string) {
	t.out.WriteString(strings.Join(parts, "") + "\n")
}

// sign is a verdict in one character and its tone.
func sign(v results.Verdict) cell {
	switch v {
	case results.Pass:
		return cell{"✓", good}
	case results.Fail:
		return cell{"✗", harm}
	default:
		return cell{"?", warn}
	}
}

func verdictCell(v results.Verdict) cell {
	c := sign(v)
	return cell{c.text + " " + v.String(), c.tone}
}

// size says how much was run.
func size(r results.Results) string {
	runs, names := 0, map[string]bool{}
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			runs += s.Runs
			names[s.Name] = true
		}
	}
	return fmt.Sprintf("%s, %s, %s", plural(len(r.Scenarios), "scenario", "scenarios"),
		plural(len(names), "strategy", "strategies"), plural(runs, "run", "runs"))
}

// pace sets virtual time, or that of live scenarios, beside real time.
func pace(r results.Results) string {
	of := "of virtual time"
	if r.Setup != nil {
		of = "of the scenarios' time"
	}
	s := fmt.Sprintf("%s %s in %s", seconds(r.VirtualSeconds), of, seconds(r.WallSeconds))
	if r.WallSeconds > 0 {
		s += fmt.Sprintf(" (%s times real time)", thousands(int(r.VirtualSeconds/r.WallSeconds)))
	}
	return s
}
