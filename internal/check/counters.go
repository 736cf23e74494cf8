package check

import "slices"

// Counters are sums over the events of one run, or of several. Times are virtual
// nanoseconds.
type Counters struct {
	Sections int   `json:"sections,omitempty"` // entered
	Aborted  int   `json:"aborted,omitempty"`  // sections rolled back for a lost lease
	Rejected int   `json:"rejected,omitempty"` // writes that the resource refused
	Commands int   `json:"commands,omitempty"` // that reached Redis
	Fenced   int   `json:"fenced,omitempty"`   // leases with a fencing token
	SoldOut  int   `json:"sold_out,omitempty"` // runs that ended at stock 0
	Virtual  int64 `json:"virtual,omitempty"`  // time of the last event
	Inside   int64 `json:"inside,omitempty"`   // time inside, all clients
	Lost     int64 `json:"lost,omitempty"`     // of it, while Redis held the key for nobody or for another client
}

// Add adds the counters of other runs.
func (c *Counters) Add(o Counters) {
	c.Sections += o.Sections
	c.Aborted += o.Aborted
	c.Rejected += o.Rejected
	c.Commands += o.Commands
	c.Fenced += o.Fenced
	c.SoldOut += o.SoldOut
	c.Virtual += o.Virtual
	c.Inside += o.Inside
	c.Lost += o.Lost
}

// Observation is something that a scenario may expect of a strategy beside the
// properties, and that does no harm.
type Observation struct {
	Name      string
	DependsOn string                   // as of a Property
	Count     func(Counters) int       // how often a run showed it
	Runs      func(*ObservedRuns) *int // how many runs showed it
}

// ObservedRuns counts the runs that showed each observation at least once.
type ObservedRuns struct {
	AbortedRuns  int `json:"aborted_runs"`
	RejectedRuns int `json:"rejected_runs"`
	SoldOutRuns  int `json:"sold_out_runs"` // that ended at stock 0
}

// Add counts one run.
func (r *ObservedRuns) Add(c Counters) {
	for _, o := range Observations {
		if o.Count(c) > 0 {
			*o.Runs(r)++
		}
	}
}

// Observations lists all observations.
var Observations = []Observation{
	{
		"aborted", "whether a holder hears of its loss before its work is done",
		func(c Counters) int { return c.Aborted }, func(r *ObservedRuns) *int { return &r.AbortedRuns },
	},
	{
		"rejected", "whether a write with an old fencing token arrives after a newer one",
		func(c Counters) int { return c.Rejected }, func(r *ObservedRuns) *int { return &r.RejectedRuns },
	},
	{
		"sold-out", "how many sections fit into the run",
		func(c Counters) int { return c.SoldOut }, func(r *ObservedRuns) *int { return &r.SoldOutRuns },
	},
}

// Observed finds an observation by its name.
func Observed(name string) (Observation, bool) {
	i := slices.IndexFunc(Observations, func(o Observation) bool { return o.Name == name })
	if i < 0 {
		return Observation{}, false
	}
	return Observations[i], true
}
