package check

import (
	"iter"

	"github.com/lockchaos/simrun/internal/history"
)

// Follower follows a history event by event, for renderers.
type Follower struct{ st *state }

// Follow makes a follower.
func Follow(h history.Header) Follower { return Follower{newState(h)} }

// Event takes the next event, and describes it in one sentence.
func (f Follower) Event(e *history.Event) string {
	f.st.update(e)
	text, _ := f.st.sentence(e)
	return text
}

// Activity is what a client is doing; it is empty for an idle client.
type Activity string

// The activities.
const (
	Waiting   Activity = "waiting"   // Acquire was called and has not returned
	Inside    Activity = "inside"    // in its section, and Redis holds the key for it
	Lost      Activity = "lost"      // in its section, believing that it holds, while Redis holds the key for nobody or for another
	Rollback  Activity = "rollback"  // still in its section, but it knows of the loss and is leaving
	Releasing Activity = "releasing" // Release was called and has not returned
	Dead      Activity = "dead"      // crashed
)

// Activities are the clients, in the order of the header, then of appearance, and
// what each is doing.
func (f Follower) Activities() iter.Seq2[string, Activity] {
	return func(yield func(string, Activity) bool) {
		for _, c := range f.st.clients {
			if !yield(c.name, f.st.activity(c)) {
				return
			}
		}
	}
}

func (st *state) activity(c *client) Activity {
	switch {
	case c.crashed:
		return Dead
	case c.inside && c.noticed.known():
		return Rollback
	case c.inside && st.owner == c:
		return Inside
	case c.inside:
		return Lost
	case c.releasing:
		return Releasing
	case c.phase == waiting:
		return Waiting
	}
	return ""
}
