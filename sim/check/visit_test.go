package check

import (
	"testing"

	"github.com/lockchaos/simrun/sim/history"
)

// TestMemoryIsBoundedByWhatIsOpen: sections that are over leave nothing behind.
func TestMemoryIsBoundedByWhatIsOpen(t *testing.T) {
	st := newState(history.Header{Clients: []string{"A"}})
	stale, lost := newStaleWrite(st), newLostUpdate(st).(*lostUpdate)
	seq := 0
	section := 0
	do := func(kinds ...history.Kind) {
		section++
		for _, k := range kinds {
			seq++
			e := history.Event{Seq: seq, At: int64(seq), Kind: k, Client: "A", Section: section}
			if k == history.Wrote || k == history.Rejected {
				e.Section = max(1, section-1) // it comes a section late
			}
			st.update(&e)
			stale.Event(&e)
			lost.Event(&e)
		}
	}
	for range 1000 {
		do(history.Entered, history.Checked, history.Left)
		do(history.Entered, history.Wrote, history.Left)
		do(history.Entered, history.Checked, history.Left)
		do(history.Entered, history.Rejected, history.Left)
		do(history.Entered, history.Read, history.Noticed, history.Aborted, history.Left)
	}
	c := st.clients[0]
	if len(c.late) > 2 || len(c.order) > 2 || len(lost.readers) > 2 {
		t.Errorf("kept of 5000 sections: %d late visits, %d not overtaken, %d readers", len(c.late), len(c.order), len(lost.readers))
	}
}
