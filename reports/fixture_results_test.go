package reports

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
)

var toyLocks = []toyLock{
	{name: "naive"},
	{name: "token", owned: true},
	{name: "watchdog", owned: true, renews: true},
	{name: "capped", owned: true, renews: true},
	{name: "guarded", owned: true, renews: true},
	{name: "fenced", owned: true, renews: true, fenced: true},
}

var toyExpected = map[string]map[string]map[string]string{
	"expiry": {
		"naive":    {"overlap": "every", "stale-write": "every", "foreign-release": "every"},
		"token":    {"overlap": "some", "foreign-release": "none"},
		"watchdog": {"overlap": "none"},
		"capped":   {"overlap": "none"},
		"guarded":  {"overlap": "none"},
		"fenced":   {"overlap": "none"},
	},
	"gc-pause": {
		"naive":    {"overlap": "some", "stale-write": "some"},
		"token":    {"overlap": "some"},
		"watchdog": {"overlap": "some"},
		"capped":   {"overlap": "some"},
		"guarded":  {"overlap": "some"},
		"fenced":   {"overlap": "some", "stale-write": "none", "rejected": "some"},
	},
}

// fixture writes the histories of a folder and returns its results.
func fixture(t testing.TB, dir string, scenarios ...string) results.Results {
	t.Helper()
	r := results.Results{Version: results.SchemaVersion, Mode: "sim", Verdict: results.Pass, WallSeconds: 2.75}
	for _, name := range scenarios {
		sc := results.Scenario{Name: name, Verdict: results.Pass, Clients: 3, LeaseMS: 30000}
		sc.Summary = "The work takes 45 s and outlives a lease of 30 s, with no fault at all."
		if name == "gc-pause" {
			sc.Summary = "A holder stops for longer than its lease while it works, then goes on."
			sc.Source = "Kleppmann 2016, How to do distributed locking"
			sc.Faults = []string{"pause: stops the whole process of any client for 40 s, 1 s to 10 s after every 3rd entry"}
		}
		for _, l := range toyLocks {
			st := toyStrategy(t, dir, name, l)
			r.VirtualSeconds += st.VirtualSeconds
			sc.Strategies = append(sc.Strategies, st)
		}
		r.Scenarios = append(r.Scenarios, sc)
	}
	return r
}

func toyStrategy(t testing.TB, dir, scenario string, l toyLock) results.Strategy {
	t.Helper()
	const runs = 100
	h, events := toyHistory(scenario, l)
	rel := filepath.Join(scenario, l.name, "history.jsonl")
	writeHistory(t, filepath.Join(dir, rel), h, events)
	j := judgeToy(events)
	s := results.Strategy{
		Name: l.name, Verdict: results.Pass, Runs: runs, Sections: j.sections * runs,
		RejectedWrites: j.rejected * runs, Commands: 40 * runs,
		VirtualSeconds: float64(events[len(events)-1].At) / 1e9 * runs, WallSeconds: 0.25,
		Expected:   toyExpected[scenario][l.name],
		Violations: map[string]results.Breach{},
		WaitCDF:    cdf(j.waits),
		InsideMS:   float64(j.inside) / 1e6 * runs,
		LostMS:     float64(j.lost) / 1e6 * runs,
		History:    filepath.ToSlash(rel), HistorySeed: 1,
	}
	s.Wait = results.Quantiles{P50: s.WaitCDF[50], P99: s.WaitCDF[99], Max: s.WaitCDF[100]}
	for _, v := range j.violations {
		b := s.Violations[v.Property]
		b.Count += runs
		b.Runs, b.FirstSeed = runs, 1
		if v.Property == "foreign-release" {
			b.Worst = max(b.Worst, v.Size)
		} else {
			b.WorstMS = max(b.WorstMS, float64(v.Size)/1e6)
		}
		s.Violations[v.Property] = b
	}
	if len(j.violations) > 0 {
		v := j.violations[0]
		for _, w := range j.violations {
			if w.Property == "stale-write" {
				v = w
				break
			}
		}
		s.FirstViolation = &results.FirstViolation{
			Seed: 1, Property: v.Property, Violation: v,
			Replay: fmt.Sprintf("simrun -scenario %s -strategy %s -seed 1", scenario, l.name),
		}
	}
	s.JudgeGuarantee(true)
	s.Expectation = results.AsExpected
	return s
}

// toyVerdict is what judgeToy found.
type toyVerdict struct {
	sections, rejected int
	inside, lost       int64
	waits              []int64
	violations         []check.Violation
}

// judgeToy finds the three properties that the fixtures show.
func judgeToy(events []history.Event) toyVerdict {
	var out toyVerdict
	type hold struct{ at, seq int64 }
	inside, waiting, stale := map[string]hold{}, map[string]int64{}, map[string]hold{}
	var owner string
	var last int64
	for _, e := range events {
		for c := range inside {
			out.inside += e.At - last
			if owner != c {
				out.lost += e.At - last
			}
		}
		last = e.At
		switch e.Kind {
		case history.Waiting:
			waiting[e.Client] = e.At
		case history.Acquired:
			out.waits = append(out.waits, e.At-waiting[e.Client])
		case history.Locked:
			owner = e.Client
		case history.Expired, history.Unlocked:
			owner = ""
			if e.Kind == history.Unlocked && e.Owner != e.Client {
				out.add(e, "foreign-release", 1, []int{e.Seq},
					e.Client+" removed a key that "+e.Owner+" held", e.Client, e.Owner)
			}
		case history.Entered:
			out.sections++
			for _, c := range sortedKeys(inside) {
				out.add(e, "overlap", 15*sec, []int{int(inside[c].seq), e.Seq},
					c+" and "+e.Client+" are inside at once", c, e.Client)
				stale[c] = hold{e.At, int64(e.Seq)}
			}
			inside[e.Client] = hold{e.At, int64(e.Seq)}
		case history.Wrote:
			if s, ok := stale[e.Client]; ok {
				out.add(e, "stale-write", e.At-s.at, []int{int(inside[e.Client].seq), int(s.seq), e.Seq},
					"the resource accepted a write of "+e.Client+" after a later holder had entered", e.Client)
			}
		case history.Rejected:
			out.rejected++
		case history.Left:
			delete(inside, e.Client)
			delete(stale, e.Client)
		}
	}
	return out
}

func (v *toyVerdict) add(e history.Event, property string, size int64, seqs []int, text string, clients ...string) {
	slices.Sort(seqs)
	v.violations = append(v.violations, check.Violation{
		Property: property, At: e.At, Size: size, Clients: clients, Events: seqs, Text: text,
	})
}

func cdf(waits []int64) []float64 {
	slices.Sort(waits)
	out := make([]float64, 101)
	for i := range out {
		out[i] = float64(waits[i*(len(waits)-1)/100]) / 1e6
	}
	return out
}

func sortedKeys[M ~map[K]V, K cmp.Ordered, V any](m M) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
