package results

import "testing"

func breaching(names ...string) Strategy {
	s := Strategy{Name: "ours", Runs: 10, Verdict: Pass, Expectation: AsExpected, Violations: map[string]Breach{}}
	for _, n := range names {
		s.Violations[n] = Breach{Count: 1, Runs: 1}
	}
	s.JudgeGuarantee(true)
	return s
}

func with(s Strategy, change func(*Strategy)) Strategy {
	change(&s)
	s.JudgeGuarantee(s.UnknownRuns == 0)
	return s
}

func unclear(s *Strategy) { s.UnknownRuns, s.Verdict, s.Expectation = 1, Unknown, NotAsked }

func of(cells ...Strategy) Results {
	return Results{Scenarios: []Scenario{{Name: "expiry", Strategies: cells}}}
}

// What counts as worse, what as better, and the verdict of a run that is compared with
// a baseline: never a pass where too little is known.
func TestChange(t *testing.T) {
	holds, unknown := breaching(), with(breaching(), unclear)
	changed := func(s *Strategy) { s.Expectation, s.Verdict = Changed, Fail }
	for _, tt := range []struct {
		name    string
		was, is Strategy
		want    Change
		verdict Verdict
	}{
		{"holds as before", holds, holds, Unchanged, Pass},
		{"broken as before", breaching("overlap"), breaching("overlap"), Unchanged, Pass},
		{"broken against expectation, as before", with(breaching("overlap"), changed), with(breaching("overlap"), changed), Unchanged, Pass},
		{"holds no longer", holds, breaching("leak"), Worse, Fail},
		{"not known to hold any longer", holds, unknown, Worse, Fail},
		{"not known, and broken now", unknown, breaching("leak"), Worse, Fail},
		{"a more severe harm", breaching("overlap"), breaching("stale-write"), Worse, Fail},
		{"one more property", breaching("overlap"), breaching("overlap", "leak"), Worse, Fail},
		{"a panic", breaching("overlap"), with(breaching("overlap"), func(s *Strategy) { s.Findings = []Finding{{Class: "panic"}} }), Worse, Fail},
		{"not as expected any longer", holds, with(breaching(), changed), Worse, Fail},
		{"holds now", breaching("overlap"), holds, Better, Pass},
		{"one property less", breaching("overlap", "leak"), breaching("overlap"), Better, Pass},
		{"as expected again", with(breaching(), changed), holds, Better, Pass},
		{"known to hold", unknown, holds, Better, Pass},
		{"unknown as before", unknown, unknown, Unchanged, Unknown},
		{"broken, and unknown now: no gain", breaching("overlap"), unknown, Otherwise, Unknown},
		{"unknown in fewer runs: no loss", holds, with(unknown, func(s *Strategy) { s.Runs = 3 }), Otherwise, Unknown},
		{"holds in fewer runs: no gain", breaching("overlap"), with(breaching(), func(s *Strategy) { s.Runs = 3 }), Otherwise, Pass},
	} {
		d := Compare(of(tt.was), of(tt.is))
		if got, v := d.Cells[0].Change, d.Verdict(); got != tt.want || v != tt.verdict {
			t.Errorf("%s: change %d, verdict %s, want %d, %s", tt.name, got, v, tt.want, tt.verdict)
		}
	}
}

func TestCellsThatComeAndGo(t *testing.T) {
	fails := with(breaching("overlap"), func(s *Strategy) { s.Verdict = Fail })
	d := Compare(of(fails), of())
	if d.Count(Removed) != 1 || d.Count(Better) != 0 || d.Verdict() != Pass {
		t.Errorf("a cell that vanished: %+v, verdict %s; want it removed, and no gain", d.Cells, d.Verdict())
	}
	if d := Compare(of(), of(fails)); d.Count(Added) != 1 || d.Count(Worse) != 0 || d.Verdict() != Fail {
		t.Errorf("a new cell that fails: %+v, verdict %s; want it added, and judged as usual", d.Cells, d.Verdict())
	}
	early := of(breaching())
	early.Interrupted = true
	if v := Compare(of(breaching()), early).Verdict(); v != Unknown {
		t.Errorf("an interrupted run: %s", v)
	}
	if v := Compare(of(breaching()), Results{}).Verdict(); v != Unknown {
		t.Errorf("nothing ran: %s", v)
	}
}
