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
		d := &stallDetector{}
		d.woken(at(tt.last), at(tt.now))
		if got := d.longest(at(time.Second), at(2*time.Second)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestIdleMachineDoesNotStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		d := startStallDetector()
		time.Sleep(time.Minute)
		d.close()
		if got := d.longest(begun, time.Now()); got != 0 {
			t.Errorf("a stall of %v", got)
		}
	})
}
