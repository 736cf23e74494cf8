package virtual

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestServerClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newServerClock()
		begun := c.now()
		time.Sleep(10 * time.Second)
		c.offset += 31 * time.Second
		if got := c.now().Sub(begun); got != 41*time.Second {
			t.Errorf("after 10 s and a step of 31 s the clock shows %v", got)
		}
		fast := c.at(1.5)
		time.Sleep(10 * time.Second)
		if got := fast.now().Sub(begun); got != 56*time.Second {
			t.Errorf("after 10 s more at 1.5 times the speed the clock shows %v, want 56s", got)
		}
		if got := fast.real(15 * time.Second); got < 10*time.Second || got > 10*time.Second+time.Millisecond {
			t.Errorf("15 s of the fast clock take %v, want 10s, never less", got)
		}
	})
}
