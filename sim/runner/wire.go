package runner

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/lockchaos/simrun/sim/check"
)

// wireVersion guards against a parent and a child of different builds.
const wireVersion = 1

// order is one line from the parent to a child.
type order struct {
	Scenario int     `json:"scenario"`         // index in the plan
	Define   *define `json:"define,omitempty"` // with the scenario's first order to this child
	Strategy string  `json:"strategy"`
	First    uint64  `json:"first"`
	Count    int     `json:"count"`
	Record   string  `json:"record,omitempty"` // file for the history of the one seed
}

// define tells a child what a scenario is.
type define struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Source []byte `json:"source,omitempty"`
}

// reply is one line from a child to the parent.
type reply struct {
	Hello int    `json:"hello,omitempty"` // the first line: wireVersion
	Alive bool   `json:"alive,omitempty"` // between two tallies: virtual time moves on
	Tally *tally `json:"tally,omitempty"` // one a seed, in the order of the seeds
	Dying bool   `json:"dying,omitempty"` // with a tally: the child cannot go on after this seed
	Error string `json:"error,omitempty"` // the harness failed
}

// wire writes lines from several goroutines.
type wire struct {
	mu  sync.Mutex
	enc *json.Encoder
}

func newWire(w io.Writer) *wire { return &wire{enc: json.NewEncoder(w)} }

func (w *wire) send(r reply) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.enc.Encode(r)
}

// tally is what one seed gave, small enough to send for each seed.
type tally struct {
	Seed     uint64            `json:"seed"`
	Sections int               `json:"sections,omitempty"`
	Aborted  int               `json:"aborted,omitempty"`
	Rejected int               `json:"rejected,omitempty"`
	Commands int               `json:"commands,omitempty"`
	SoldOut  bool              `json:"sold_out,omitempty"`
	Virtual  int64             `json:"virtual,omitempty"`
	Inside   int64             `json:"inside,omitempty"`
	Lost     int64             `json:"lost,omitempty"`
	Waits    histogram         `json:"waits"`
	Unknown  string            `json:"unknown,omitempty"`
	Findings []check.Finding   `json:"findings,omitempty"`
	Breaches map[string]breach `json:"breaches,omitempty"`
}

// breach is what one seed showed of one property.
type breach struct {
	Count int             `json:"count"`
	Worst int64           `json:"worst"`
	First check.Violation `json:"first"`
}

func tallyOf(seed uint64, r check.Report) *tally {
	t := &tally{
		Seed: seed, Sections: r.Sections, Aborted: r.Aborted, Rejected: r.Rejected, Commands: r.Commands,
		SoldOut: r.SoldOut, Virtual: r.Virtual, Inside: r.Inside, Lost: r.Lost,
		Unknown: r.Unknown, Findings: r.Findings,
	}
	for _, w := range r.Waits {
		t.Waits.add(w)
	}
	if len(r.Violations) > 0 {
		t.Breaches = make(map[string]breach)
	}
	for _, v := range r.Violations {
		b, seen := t.Breaches[v.Property]
		if !seen {
			b.First = v
		}
		b.Count++
		b.Worst = max(b.Worst, v.Size)
		t.Breaches[v.Property] = b
	}
	return t
}
