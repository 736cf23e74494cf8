package check

import (
	"slices"
	"testing"
)

// TestStoriesHoldTheirProofs: whatever the history, each proof is told once, in
// order, and a story is no longer than it may be.
func TestStoriesHoldTheirProofs(t *testing.T) {
	for seed := range uint64(20) {
		h, events := wild(seed, 400)
		for _, v := range All(h, events).Violations {
			steps := Narrate(h, events, v)
			var proofs []int
			for _, s := range steps {
				if s.Key {
					proofs = append(proofs, s.Seq)
				}
			}
			if !slices.Equal(proofs, v.Events) {
				t.Errorf("seed %d: %+v is told with the proofs %v", seed, v, proofs)
			}
			if len(steps) > max(maxSteps, len(v.Events)) {
				t.Errorf("seed %d: %d steps", seed, len(steps))
			}
			if !slices.IsSortedFunc(steps, func(a, b Step) int { return a.Seq - b.Seq }) {
				t.Errorf("seed %d: steps out of order: %v", seed, steps)
			}
		}
	}
}

func TestNarrateWithoutProofsIsEmpty(t *testing.T) {
	h, events := wild(1, 50)
	if steps := Narrate(h, events, Violation{Property: "overlap"}); len(steps) != 0 {
		t.Errorf("got %v", steps)
	}
}
