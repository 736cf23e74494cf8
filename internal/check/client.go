package check

// ref points at an event. Its zero value points at none, as Seq counts from 1.
type ref struct {
	at  int64
	seq int
}

func (r ref) known() bool { return r.seq != 0 }

// phase is how far a client has got with the lock.
type phase uint8

const (
	idle     phase = iota // has not asked, or has stopped asking
	waiting               // Acquire is running
	refused               // Acquire returned an error; the client may ask again
	held                  // has an open lease: from acquired to released
	released              // Release has returned
)

// client is what the history has shown of one client so far.
type client struct {
	name      string
	phase     phase
	releasing bool // Release is running
	crashed   bool
	inside    bool
	paused    int // pauses that are active on it
	visits

	asked    ref // when it began to wait; a refusal and a new attempt do not end the wait
	refused  ref
	released ref
	entered  ref
	noticed  ref // that its lease is lost, since it entered
	died     ref
	locked   ref // its key came to be
	lost     ref // its key ended or went to another; zero while it stands
}

// waits reports whether the client is alive and waiting. A refused client is not,
// until it asks again.
func (c *client) waits() bool { return c.phase == waiting && !c.crashed }

// gaveUp reports whether the client is alive and was refused. It may ask again.
func (c *client) gaveUp() bool { return c.phase == refused && !c.crashed }

// visit is one section as the resource sees it. It may outlive the section: a
// write can stay in the network long after its client has left.
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

// pending reports whether a write of this visit may still be in flight.
func (v *visit) pending() bool { return v.sent && !v.answered }

// over reports whether the visit can have no further effect.
func (v *visit) over() bool { return v.client.current != v && !v.pending() }

// visits are a client's current or latest visit, and older ones whose write may
// still arrive.
type visits struct {
	current *visit
	late    map[int]*visit // by section
	order   []*visit       // the late ones that are not overtaken yet, by entry
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
