package check

import (
	"cmp"

	"github.com/lockchaos/simrun/internal/history"
)

var leakProperty = Property{
	Name: "leak", Unit: Count, Severity: Leftover, Liveness: true, Letter: "L",
	Broken:    "something was left behind after the run ended",
	DependsOn: "what is still under way when the run ends",
	watch:     func(b breaches) checker { return &leak{b} },
}

// leak: something was left when all was over: goroutines, keys without expiry,
// subscriptions, queue entries. Each residue event is one violation.
type leak struct {
	breaches
}

func (l *leak) event(e *history.Event) {
	if e.Kind != history.Residue {
		return
	}
	l.add(1, named(l.st.who), proof(l.st.now), "%s", cmp.Or(e.Detail, "something was left behind"))
}
