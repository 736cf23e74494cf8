package check

import "github.com/lockchaos/simrun/internal/history"

var foreignReleaseProperty = Property{
	Name: "foreign-release", Unit: Count, Severity: Exclusion, Letter: "F",
	Broken:    "a client removed a key that another owner held",
	DependsOn: "whether the last holder releases before the next one has the key",
	watch:     func(b breaches) checker { return &foreignRelease{b} },
}

// foreignRelease: a client removed a key that another client owned. A key that
// expires, or that no client removed, was released by nobody; one of two clients that
// the lock takes for one owner removes its own.
type foreignRelease struct {
	breaches
}

func (f *foreignRelease) event(e *history.Event) {
	if e.Kind != history.Unlocked || e.Owner == "" || e.Client == "" || e.Client == e.Owner {
		return
	}
	owner := f.st.clientNamed(e.Owner)
	if c := f.st.who; c.joined == owner && c.phase == held { // to the lock, it is the owner
		return
	}
	f.add(1, named(f.st.who, owner), proof(owner.locked, f.st.now), "%s removed the key that %s owned", e.Client, e.Owner)
}
