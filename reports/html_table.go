package reports

import (
	"fmt"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

type tableView struct {
	Safety   []propertyHead
	Liveness []propertyHead
	SoldOut  bool // some strategy is asked for it
	Rows     []rowView
}

type propertyHead struct{ Name, Broken string }

type rowView struct {
	Name, ID, Summary string
	Verdict           verdictView
	Runs, Sections    string
	Properties        []breachView // safety, then liveness, as the heads
	Aborted, Rejected countView
	SoldOut           countView
	Lost              string // share of the time inside
	LostHarm          bool
	P50, P99, Max     string
}

type breachView struct {
	countView
	Property string
	Runs     string // "100 of 100 runs"
	Worst    string // "worst 15.0 s"
}

// countView is a number with what was expected of it.
type countView struct {
	Count    string
	Harm     bool
	Expected string // "expected", "expected none", "not asked"; empty where there is nothing to say
	Mismatch bool
}

func viewTable(sc results.Scenario) tableView {
	var t tableView
	var safe, live []string
	for _, p := range properties(sc.Strategies) {
		h := propertyHead{p, brokenText(p)}
		if known, _ := check.Lookup(p); known.Liveness {
			live = append(live, p)
			t.Liveness = append(t.Liveness, h)
		} else {
			safe = append(safe, p)
			t.Safety = append(t.Safety, h)
		}
	}
	for _, s := range sc.Strategies {
		if s.Expected["sold-out"] != "" {
			t.SoldOut = true
		}
		t.Rows = append(t.Rows, viewRow(sc, s, append(slices.Clone(safe), live...)))
	}
	return t
}

func viewRow(sc results.Scenario, s results.Strategy, props []string) rowView {
	r := rowView{
		Name: s.Name, ID: anchor(sc.Name, s.Name), Summary: s.Summary, Verdict: viewVerdict(s.Verdict),
		Runs: thousands(s.Runs), Sections: thousands(s.Sections),
		Aborted:  viewCount(s, "aborted", s.Aborted),
		Rejected: viewCount(s, "rejected", s.RejectedWrites),
		SoldOut:  viewCount(s, "sold-out", s.SoldOutRuns),
		Lost:     "0 %", LostHarm: s.LostMS > 0,
		P50: millis(s.Wait.P50), P99: millis(s.Wait.P99), Max: millis(s.Wait.Max),
	}
	if s.InsideMS > 0 && s.LostMS > 0 {
		r.Lost = percent(s.LostMS / s.InsideMS)
	}
	for _, p := range props {
		b := s.Violations[p]
		v := breachView{countView: viewCount(s, p, b.Count), Property: p}
		v.Harm = b.Count > 0
		if b.Count > 0 {
			if v.Expected == "" {
				v.Expected = "not asked"
			}
			v.Runs = fmt.Sprintf("%s of %s", thousands(b.Runs), plural(s.Runs, "run", "runs"))
		}
		switch {
		case b.WorstMS > 0:
			v.Worst = "worst " + millis(b.WorstMS)
		case b.Worst > 0:
			v.Worst = "worst " + thousands(int(b.Worst))
		}
		r.Properties = append(r.Properties, v)
	}
	return r
}

func percent(share float64) string {
	if share < 0.001 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// viewCount marks a count as expected or not.
func viewCount(s results.Strategy, name string, n int) countView {
	c := countView{Count: thousands(n)}
	for _, m := range s.Mismatches {
		if m.Property == name {
			c.Mismatch, c.Expected = true, "expected "+wantText(m.Want)
		}
	}
	want := s.Expected[name]
	switch {
	case c.Mismatch:
	case want != "" && n > 0:
		c.Expected = "expected"
	case want != "":
		c.Expected = "as expected"
	}
	return c
}
