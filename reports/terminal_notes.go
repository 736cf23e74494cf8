package reports

import (
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// note writes what is to be said of a cell, and the command that shows it.
func (t *terminal) note(sign cell, head, what, replay string) {
	line := t.s.paint(sign.tone, sign.text+" "+text.OneLine(head)) + " " + text.OneLine(what)
	if replay == "" {
		t.line(line)
		return
	}
	whole := line + "  " + t.dim("→") + " " + text.OneLine(replay)
	if t.o.Width == 0 || seen(whole) <= t.o.Width {
		t.line(whole)
		return
	}
	t.line(line)
	t.out.WriteString(wrap("  "+t.dim("→")+" "+text.OneLine(replay), t.o.Width, ` \`) + "\n")
}

// notes are the lines under a table: the first violation of each strategy that did not
// fail, what would avoid the harm, and where there is too little evidence.
func (t *terminal) notes(sc results.Scenario) {
	t.alone = len(sc.Strategies) == 1
	before := t.out.Len()
	for _, s := range sc.Strategies {
		if !fails(s) {
			t.firstViolation(s, s.Name+":")
		}
	}
	for _, r := range remedies(sc) {
		t.note(cell{"·", dim}, strings.Join(r.names, ", ")+":", r.text, "")
	}
	for _, s := range sc.Strategies {
		if why := unknownText(s); why != "" {
			t.note(guaranteeSign(results.Unclear), s.Name+":", why, "")
		}
		if !fails(s) {
			t.findings(s, s.Name+":")
		}
	}
	if t.out.Len() > before {
		t.line()
	}
}

func fails(s results.Strategy) bool { return s.Verdict == results.Fail || len(s.Mismatches) > 0 }

func (t *terminal) firstViolation(s results.Strategy, head string) {
	if f := s.FirstViolation; f != nil {
		t.note(cell{"·", dim}, head, f.Property+": "+f.Violation.Text, f.Replay)
	}
}

func (t *terminal) findings(s results.Strategy, head string) {
	for _, f := range s.Findings {
		t.note(cell{letterFinding, harm}, head, findingText(f), f.Replay)
		if s.Runs != 1 && !t.alone {
			continue
		}
		for _, fr := range stackFrames(f.Stack) {
			t.line("    ", text.OneLine(fr.Call), "  ", t.dim(text.OneLine(fr.Place)))
		}
	}
}

// joinMismatches joins what the same run shows in the same words of several
// properties: "overlap, stale-write must not happen, but did in 20 of 20 runs".
func joinMismatches(s results.Strategy) (all []results.Mismatch) {
	for _, m := range s.Mismatches {
		m.Text = mismatchText(s, m)
		what, isProperty := strings.CutPrefix(m.Text, m.Property+" ")
		i := slices.IndexFunc(all, func(o results.Mismatch) bool {
			return isProperty && o.Replay == m.Replay && strings.HasSuffix(o.Text, " "+what)
		})
		if i < 0 {
			all = append(all, m)
			continue
		}
		all[i].Text = strings.TrimSuffix(all[i].Text, " "+what) + ", " + m.Property + " " + what
	}
	return all
}

// failed lists the cells that failed, with the commands that show it.
func (t *terminal) failed(r Results) {
	before := t.out.Len()
	for _, sc := range r.Scenarios {
		t.alone = len(sc.Strategies) == 1
		for _, s := range sc.Strategies {
			if !fails(s) {
				continue
			}
			if t.out.Len() == before {
				t.line(t.s.paint(strong, "failed"))
			}
			head := s.Name + ":"
			if len(r.Scenarios) > 1 {
				head = sc.Name + " " + head
			}
			t.firstViolation(s, head)
			t.findings(s, head)
			for _, m := range joinMismatches(s) {
				t.note(cell{signChanged, harm}, head, m.Text, m.Replay)
			}
		}
	}
	if t.out.Len() > before {
		t.line()
	}
}
