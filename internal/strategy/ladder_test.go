package strategy

import (
	"testing"
	"time"
)

// A lock's own pauses are divided by the run's scale, but not so far that polling
// keeps the machine busy.
func TestPollsAreScaled(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		scale             float64
		shortest, longest time.Duration
	}{
		{10, 5 * ms, 100 * ms},
		{100, 2 * ms, 10 * ms},
		{1000, 2 * ms, 4 * ms},
	} {
		if shortest, longest := polls(tt.scale); shortest != tt.shortest || longest != tt.longest {
			t.Errorf("scale %v: %v to %v, want %v to %v", tt.scale, shortest, longest, tt.shortest, tt.longest)
		}
	}
}
