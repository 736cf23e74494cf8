package check

import "github.com/lockchaos/simrun/internal/history"

// visit is one section as the resource knows it. It may outlive the section: a
// write can sit in the network long after its client has left.
type visit struct {
	client    *client
	section   int
	entered   ref
	lost      ref // its client lost the key
	read      ref // its first
	sent      bool
	answered  bool
	overtaken *visit  // by the first later holder that read the resource, see [staleWrite]
	undone    ref     // the first accepted write since it has read, see [lostUpdate]
	undoes    *client // whose write that was
}

// pending says that a write of this visit may still be under way.
func (v *visit) pending() bool { return v.sent && !v.answered }

// over says that nothing more will come of this visit.
func (v *visit) over() bool { return v.client.current != v && !v.pending() }

// visits are a client's: the one it is in, or was in last, and older ones whose
// write may still come.
type visits struct {
	current *visit
	late    map[int]*visit // by section
	order   []*visit       // late ones, by entry, that are not overtaken yet
}

func (vs *visits) enter(c *client, section int, now ref) {
	if v := vs.current; v != nil && v.pending() {
		if vs.late == nil {
			vs.late = map[int]*visit{}
		}
		vs.late[v.section] = v
		for len(vs.order) > 0 && vs.order[0].answered {
			vs.order = vs.order[1:]
		}
		if v.overtaken == nil {
			vs.order = append(vs.order, v)
		}
	}
	vs.current = &visit{client: c, section: section, entered: now, lost: c.lost}
}

func (vs *visits) lose(now ref) {
	if v := vs.current; v != nil && !v.lost.known() {
		v.lost = now
	}
}

func (vs *visits) of(section int) *visit {
	if vs.current != nil && vs.current.section == section {
		return vs.current
	}
	return vs.late[section]
}

// updateVisit takes what passes between a client and the resource.
func (st *state) updateVisit(c *client, e *history.Event) {
	v := c.of(e.Section)
	if v == nil {
		return
	}
	switch e.Kind {
	case history.Read:
		if !v.read.known() {
			v.read, st.first = st.now, v
		}
	case history.Checked, history.Unanswered:
		v.sent = true
	case history.Wrote, history.Rejected:
		v.answered, st.answer = true, v
		delete(c.late, v.section)
	}
}
