package live

import (
	"testing"
	"testing/synctest"
	"time"
)

// The longest stall within a run from 1 s to 2 s.
func TestLongestStall(t *testing.T) {
	begun := time.Unix(1000, 0)
	at := func(d time.Duration) time.Time { return begun.Add(d) }
	tests := []struct {
		name      string
		last, now time.Duration // two consecutive wake-ups
		want      time.Duration
	}{
		{"in time", 1500 * time.Millisecond, 1505 * time.Millisecond, 0},
		{"a little late", 1500 * time.Millisecond, 1550 * time.Millisecond, 0},
		{"late", 1500 * time.Millisecond, 1705 * time.Millisecond, 200 * time.Millisecond},
		{"late before the run", 500 * time.Millisecond, 900 * time.Millisecond, 0},
		{"late into the run", 900 * time.Millisecond, 1105 * time.Millisecond, 200 * time.Millisecond},
		{"late after the run", 2500 * time.Millisecond, 2900 * time.Millisecond, 0},
	}
	for _, tt := range tests {
		m := &monitor{}
		detectStall(t.Context(), m, at(tt.last), at(tt.now))
		if got := m.longest(at(time.Second), at(2*time.Second)).length(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestIdleMachineDoesNotStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		m := startMonitor(stallInterval, detectStall)
		time.Sleep(time.Minute)
		m.close()
		if got := m.longest(begun, time.Now()).length(); got != 0 {
			t.Errorf("a stall of %v", got)
		}
	})
}
