package live

import (
	"testing"
	"time"
)

// When a key ends, by an answer to PTTL that took 5 ms.
func TestEndOfAKey(t *testing.T) {
	asked := time.Unix(1000, 0)
	answered := asked.Add(5 * time.Millisecond)
	tests := []struct {
		name string
		left time.Duration
		want time.Time
	}{
		{"in a second", time.Second, asked.Add(time.Second)},
		{"in its last millisecond", 0, asked},
		{"never", -1, time.Time{}},
	}
	for _, tt := range tests {
		at, unsure := end(asked, answered, tt.left)
		if !at.Equal(tt.want) {
			t.Errorf("%s: ends at %v, want %v", tt.name, at, tt.want)
		}
		if !at.IsZero() && unsure < 5*time.Millisecond {
			t.Errorf("%s: sure to %v, and the answer took 5 ms", tt.name, unsure)
		}
	}
}
