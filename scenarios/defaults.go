package scenarios

import (
	"time"

	"github.com/lockchaos/simrun/chaos"
)

// defaultStock is far more than a scenario sells: only a scenario that is meant to
// sell out does.
const defaultStock = 1000

// withDefaults returns a scenario with the defaults that do not depend on what
// the file says.
func withDefaults() *Scenario {
	return &Scenario{
		Clients:      3,
		Sections:     4,
		Cap:          5,
		Lease:        30 * time.Second,
		Wait:         2 * time.Minute,
		WriteTimeout: 5 * time.Second,
		Think:        chaos.Range{Min: 0, Max: 2 * time.Second},
		Rollback:     chaos.Range{Min: 5 * time.Millisecond, Max: 20 * time.Millisecond},
		Network:      chaos.Range{Min: 200 * time.Microsecond, Max: time.Millisecond},
		Bounds:       map[string]time.Duration{},
		Expect:       map[string]map[string]Expectation{},
	}
}

// deriveDefaults sets the defaults that depend on what the file says: a renewal
// every third of the lease, as Redisson's watchdog; one section for each client;
// stock that does not run out; and a limit.
func deriveDefaults(s *Scenario) {
	if s.Renew == 0 {
		s.Renew = s.Lease / 3
	}
	if s.MinSections == 0 {
		s.MinSections = min(s.Clients, s.Clients*s.Sections)
	}
	if s.Stock == 0 {
		s.Stock = max(defaultStock, int64(s.Clients*s.Sections)+1)
	}
	if s.Limit == 0 {
		s.Limit = defaultLimit(s)
	}
}

// defaultLimit is ten minutes more than all sections need one after another, each
// at its longest, with a lease that runs out and every fault at its longest. A run
// that takes longer is stuck.
func defaultLimit(s *Scenario) time.Duration {
	each := s.Think.Max + s.Work.Max + s.Rollback.Max + s.WriteTimeout + s.Lease
	first := 10 * time.Minute
	for _, p := range s.Faults {
		each += p.After.Max + p.For.Max
		if p.At != nil {
			first += p.At.Max
		}
	}
	sections := time.Duration(s.Clients) * time.Duration(s.Sections)
	if each > (maxDuration-min(first, maxDuration))/sections {
		return maxDuration
	}
	return first + each*sections
}
