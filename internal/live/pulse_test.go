package live

import (
	"testing"
	"testing/synctest"
	"time"
)

// The longest stand of the machine within a run of 1 s to 2 s.
func TestPulseTellsAStandstill(t *testing.T) {
	begun := time.Unix(1000, 0)
	at := func(d time.Duration) time.Time { return begun.Add(d) }
	tests := []struct {
		name      string
		last, now time.Duration // when the pulse was awake, and when next
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
		p := &pulse{}
		p.woken(at(tt.last), at(tt.now))
		if got := p.longest(at(time.Second), at(2*time.Second)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestPulseOfAnIdleMachineIsRegular(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		p := startPulse()
		time.Sleep(time.Minute)
		p.close()
		if got := p.longest(begun, time.Now()); got != 0 {
			t.Errorf("it stood still for %v", got)
		}
	})
}
