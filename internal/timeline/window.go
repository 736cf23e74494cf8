package timeline

import (
	"slices"
	"sort"

	"github.com/lockchaos/simrun/internal/history"
)

// Clip reduces a timeline to about limit marks: to a window around the events in
// keep (by Seq), which all stay. Spans are cut at the window's edges. It reports
// whether something was cut.
func (t Timeline) Clip(keep []int, limit int) (Timeline, bool) {
	marks := t.Marks()
	if len(marks) <= limit {
		return t, false
	}
	kept := func(m Mark) bool { return slices.Contains(keep, m.Seq) }
	lo, hi := max(0, slices.IndexFunc(marks, kept)), len(marks)-1
	for hi > lo && !kept(marks[hi]) {
		hi--
	}
	if hi-lo+1 < limit {
		lo = max(0, lo-(limit-(hi-lo+1))/2)
		hi = min(len(marks)-1, lo+limit-1)
		lo = max(0, hi-limit+1)
	}
	from, to := marks[lo].At, marks[hi].At
	if lo == 0 {
		from = t.Start
	}
	if hi == len(marks)-1 {
		to = t.End
	}
	stay := thin(marks[lo:hi+1], kept, limit)
	return t.cut(from, to, stay), true
}

// Marks lists the marks of all lanes in the order of the history.
func (t Timeline) Marks() []Mark {
	all := slices.Concat(t.Redis.Marks, t.FaultMarks, t.Harness)
	for _, l := range t.Clients {
		all = append(all, l.Marks...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Seq < all[j].Seq })
	return all
}

// thin chooses the marks that stay: it drops the least telling kinds first, until
// limit are left. Spans are not touched, so nothing is drawn wrongly.
func thin(marks []Mark, kept func(Mark) bool, limit int) map[int]bool {
	drop := [][]history.Kind{
		{history.Renewed},
		{history.Read, history.Checked, history.Waiting, history.Released, history.Done},
		{history.Acquired, history.Left, history.Releasing, history.Refused},
	}
	for _, kinds := range drop {
		if len(marks) <= limit {
			break
		}
		marks = slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool {
			return !kept(m) && slices.Contains(kinds, m.Kind)
		})
	}
	stay := make(map[int]bool, len(marks))
	for _, m := range marks {
		stay[m.Seq] = true
	}
	return stay
}

func (t Timeline) cut(from, to int64, stay map[int]bool) Timeline {
	out := Timeline{Start: from, End: to}
	marks := func(in []Mark) []Mark {
		return slices.DeleteFunc(slices.Clone(in), func(m Mark) bool { return !stay[m.Seq] })
	}
	spans := func(in []Span) []Span {
		var keep []Span
		for _, s := range in {
			if s.To < from || s.From > to {
				continue
			}
			s.From, s.To = max(s.From, from), min(s.To, to)
			keep = append(keep, s)
		}
		return keep
	}
	for _, l := range t.Clients {
		out.Clients = append(out.Clients, Lane{Name: l.Name, Spans: spans(l.Spans), Marks: marks(l.Marks)})
	}
	out.Redis = Lane{Name: t.Redis.Name, Spans: spans(t.Redis.Spans), Marks: marks(t.Redis.Marks)}
	out.Faults, out.FaultMarks, out.Harness = spans(t.Faults), marks(t.FaultMarks), marks(t.Harness)
	return out
}
