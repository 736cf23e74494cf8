package reports

import (
	"strings"

	"github.com/lockchaos/simrun/sim/results"
)

// strategyNames lists the strategies of all scenarios in the order in which
// they first appear.
func strategyNames(r results.Results) []string {
	var names []string
	seen := map[string]bool{}
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			if !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	return names
}

func findStrategy(sc results.Scenario, name string) (results.Strategy, bool) {
	for _, s := range sc.Strategies {
		if s.Name == name {
			return s, true
		}
	}
	return results.Strategy{}, false
}

// matrix writes scenarios against strategies, a sign a cell. Beside the sign
// stands whether the lock came to harm: a lock that breaks as expected passes,
// and is still broken.
func (t *terminal) matrix(r results.Results) {
	cols := []column{{head: "scenario"}}
	names := strategyNames(r)
	for _, n := range names {
		cols = append(cols, column{head: oneLine(n)})
	}
	for _, sc := range r.Scenarios {
		cols[0].cells = append(cols[0].cells, cell{oneLine(sc.Name), plain})
		for i, n := range names {
			s, ok := findStrategy(sc, n)
			c := cell{"·", dim}
			if ok {
				c = sign(s.Verdict)
				if k := len(breached(s)); k > 0 {
					c.text += " " + strings.Repeat("▪", min(k, 6))
				}
			}
			cols[i+1].cells = append(cols[i+1].cells, c)
		}
	}
	t.out.WriteString(layout(cols, 1, t.o.Width, t.s))
	t.line()
	t.line(t.s.paint(dim, "✓ as expected   ✗ not as expected   ? too little evidence   ▪ a property that the lock broke"))
	t.line()
}
