package miniserver

import (
	"slices"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return start.Add(d) }
	for name, tc := range map[string]struct {
		clock clock
		want  time.Duration // shown after ten minutes, since the start
	}{
		"untouched":    {newClock(start), 10 * time.Minute},
		"stepped":      {newClock(start).stepped(time.Hour), 70 * time.Minute},
		"back":         {newClock(start).stepped(-time.Hour), -50 * time.Minute},
		"double speed": {newClock(start).running(after(2*time.Minute), 2), 18 * time.Minute},
		"restored":     {newClock(start).running(after(2*time.Minute), 2).running(after(4*time.Minute), 1), 12 * time.Minute},
		"steps remain": {newClock(start).stepped(time.Hour).running(start, 0.5).stepped(time.Minute), 66 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.clock.at(after(10 * time.Minute)).Sub(start); got != tc.want {
				t.Errorf("shows %v, want %v", got, tc.want)
			}
		})
	}
}

// A duration on Redis's clock takes no less real time than it should.
func TestClockReal(t *testing.T) {
	c := newClock(time.Now()).running(time.Now(), 1.5)
	if got := c.real(15 * time.Second); got < 10*time.Second || got > 10*time.Second+time.Millisecond {
		t.Errorf("15 s of a clock at 1.5 times real speed take %v, want 10s, never less", got)
	}
}

// Whichever of several rates ends first, the clock runs at the last that was set
// and has not ended.
func TestRates(t *testing.T) {
	for _, tt := range []struct {
		name string
		ends []int // which of the rates 2, 3 and 5 end, in this order
		want []float64
	}{
		{"the first set ends first", []int{0, 1, 2}, []float64{2, 3, 5, 5, 5, 1}},
		{"the last set ends first", []int{2, 1, 0}, []float64{2, 3, 5, 3, 2, 1}},
		{"the second ends twice", []int{1, 1, 2, 0}, []float64{2, 3, 5, 5, 5, 2, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Mini.Close()
			var ran []float64
			var restore []func()
			for _, rate := range []float64{2, 3, 5} {
				restore = append(restore, s.SetRate(rate))
				ran = append(ran, s.clock.rate)
			}
			for _, i := range tt.ends {
				restore[i]()
				ran = append(ran, s.clock.rate)
			}
			if !slices.Equal(ran, tt.want) {
				t.Errorf("the clock ran at %v, want %v", ran, tt.want)
			}
		})
	}
}
