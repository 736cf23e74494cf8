package strategy

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// knownText has a line for each cell of the built-in scenarios and the reference
// locks: "scenario strategy property=seed …". internal/virtual's TestKnownBreaches
// checks it and, with -update, writes it.
//
//go:embed known.txt
var knownText string

type knownCell struct{ scenario, strategy string }

var known = sync.OnceValue(func() map[knownCell]map[string]uint64 {
	cells := map[knownCell]map[string]uint64{}
	for line := range strings.Lines(knownText) {
		words := strings.Fields(line)
		breached := map[string]uint64{}
		for _, w := range words[2:] {
			property, seed, _ := strings.Cut(w, "=")
			breached[property], _ = strconv.ParseUint(seed, 10, 64) // the test reads every seed
		}
		cells[knownCell{words[0], words[1]}] = breached
	}
	return cells
})

// KnownBreaches maps each property that the strategy breaches in a built-in
// scenario to the smallest seed that shows it; ok is false for other strategies and
// scenarios. A property that is not in it was not breached with any of many seeds.
func KnownBreaches(scenario, strategy string) (breached map[string]uint64, ok bool) {
	breached, ok = known()[knownCell{scenario, strategy}]
	return breached, ok
}
