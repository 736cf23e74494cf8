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
	paused    int            // pauses that are active on it
	current   *visit         // or its latest
	refusal   string         // why, the last time
	late      map[int]*visit // older ones whose write may still arrive, by section
	order     []*visit       // the late ones that are not overtaken yet, by entry

	asked    ref // when it began to wait; a refusal and a new attempt do not end the wait
	refused  ref
	released ref
	entered  ref
	noticed  ref // that its lease is lost, since it entered
	died     ref
	locked   ref     // its key came to be
	join     ref     // it counted itself in another's key, or renewed it, since it asked
	joined   *client // whose key that was
	counted  bool    // it counted itself in it
	lost     ref     // its key ended or went to another; zero while it stands
}

// waits reports whether the client is alive and waiting. A refused client is not,
// until it asks again.
func (c *client) waits() bool { return c.phase == waiting && !c.crashed }

// gaveUp reports whether the client is alive and was refused. It may ask again.
func (c *client) gaveUp() bool { return c.phase == refused && !c.crashed }

// asks reports whether the client is alive and waits, or was refused.
func (c *client) asks() bool { return c.waits() || c.gaveUp() }

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

// enter begins a visit.
func (c *client) enter(section int, now ref) {
	if v := c.current; v != nil && v.pending() {
		c.late[v.section] = v
		for len(c.order) > 0 && c.order[0].answered {
			c.order = c.order[1:]
		}
		if v.overtaken == nil {
			c.order = append(c.order, v)
		}
	}
	c.current = &visit{client: c, section: section, entered: now, lost: c.lost}
}

// visit finds the visit of a section; nil if it is over or was never made.
func (c *client) visit(section int) *visit {
	if c.current != nil && c.current.section == section {
		return c.current
	}
	return c.late[section]
}
