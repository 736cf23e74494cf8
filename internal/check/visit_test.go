package check

import (
	"testing"

	"github.com/lockchaos/simrun/internal/history"
)

// TestMemoryIsBoundedByWhatIsOpen: sections that are over leave nothing behind.
func TestMemoryIsBoundedByWhatIsOpen(t *testing.T) {
	st := newState(history.Header{Clients: []string{"A"}})
	stale, lost := staleWriteProperty.watch(breaches{st: st}), lostUpdateProperty.watch(breaches{st: st}).(*lostUpdate)
	seq, section := 0, 0
	emit := func(kind history.Kind, section int) {
		seq++
		e := history.Event{Seq: seq, At: int64(seq), Kind: kind, Client: "A", Section: section}
		st.update(&e)
		stale.event(&e)
		lost.event(&e)
	}
	do := func(kinds ...history.Kind) {
		section++
		for _, k := range kinds {
			emit(k, section)
		}
	}
	for range 1000 { // sections without an accepted write
		do(history.Entered, history.Read, history.Noticed, history.Aborted, history.Left)
	}
	bounded(t, st.clients[0], lost)
	for range 1000 {
		do(history.Entered, history.Checked, history.Wrote, history.Left)
		do(history.Entered, history.Checked, history.Left)
		do(history.Entered, history.Left)
		emit(history.Wrote, section-1)
		do(history.Entered, history.Checked, history.Left)
		do(history.Entered, history.Left)
		emit(history.Rejected, section-1)
	}
	bounded(t, st.clients[0], lost)
}

func bounded(t *testing.T, c *client, lost *lostUpdate) {
	t.Helper()
	if len(c.late) > 2 || len(c.order) > 2 || len(lost.readers) > 2 {
		t.Errorf("kept of a thousand sections and more: %d late visits, %d not overtaken, %d readers", len(c.late), len(c.order), len(lost.readers))
	}
}
