package memnet_test

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockchaos/simrun/internal/virtual/memnet"
)

func fixed(d time.Duration) memnet.Latency { return func() time.Duration { return d } }

func TestBytesArriveAfterTheirLatencyAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := []time.Duration{5 * time.Millisecond, time.Millisecond}
		a, b := memnet.Pipe(memnet.End{Send: func() time.Duration {
			d := next[0]
			next = next[1:]
			return d
		}}, memnet.End{})
		begun := time.Now()
		write(t, a, "one")
		write(t, a, "two")
		if got, took := read(t, b), time.Since(begun); got != "one" || took < 5*time.Millisecond || took > 5*time.Millisecond+memnet.Slots {
			t.Errorf("read %q after %v, want one after 5ms", got, took)
		}
		first := time.Now()
		if got, took := read(t, b), time.Since(first); got != "two" || took != memnet.Slots {
			t.Errorf("read %q after %v more: a later message must arrive later, never overtake", got, took)
		}
	})
}

// No two directions have an arrival in the same nanosecond, even with equal
// latencies: no seed decides the order of events in one instant.
func TestArrivalsNeverMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 300
		arrivals := make(chan int64, many)
		for slot := range int64(many) {
			a, b := memnet.Pipe(memnet.End{Send: fixed(time.Millisecond), Slot: slot}, memnet.End{})
			write(t, a, "all at once")
			go func() {
				_, _ = b.Read(make([]byte, 64))
				arrivals <- time.Now().UnixNano()
			}()
		}
		seen := map[int64]bool{}
		for range many {
			seen[<-arrivals] = true
		}
		if len(seen) != many {
			t.Errorf("%d messages arrived at %d instants", many, len(seen))
		}
	})
}

func TestCloseDeliversWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memnet.Pipe(memnet.End{Send: fixed(time.Millisecond)}, memnet.End{})
		write(t, a, "last words")
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if got := read(t, b); got != "last words" {
			t.Errorf("read %q", got)
		}
		if _, err := b.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("read after the peer's close: %v, want EOF", err)
		}
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("read on a closed end: %v, want net.ErrClosed", err)
		}
		if _, err := b.Write([]byte("x")); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("write to a closed peer: %v, want ECONNRESET", err)
		}
	})
}

func TestResetDestroysWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memnet.Pipe(memnet.End{Send: fixed(time.Millisecond)}, memnet.End{})
		write(t, a, "lost")
		if !a.Reset() {
			t.Error("Reset of an open connection reports that it was not open")
		}
		if a.Reset() {
			t.Error("second Reset reports that the connection was open")
		}
		for name, c := range map[string]net.Conn{"near": a, "far": b} {
			if _, err := c.Read(make([]byte, 8)); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("%s end reads %v, want ECONNRESET", name, err)
			}
		}
	})
}

func TestReadDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memnet.Pipe(memnet.End{Send: fixed(2 * time.Second)}, memnet.End{})
		begun := time.Now()
		_ = b.SetReadDeadline(begun.Add(time.Second))
		write(t, a, "late")
		if _, err := b.Read(make([]byte, 8)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("read ended after %v with %v, want the deadline after 1s", time.Since(begun), err)
		}
		_ = b.SetReadDeadline(time.Time{})
		if got := read(t, b); got != "late" || time.Since(begun) < 2*time.Second {
			t.Errorf("read %q after %v", got, time.Since(begun))
		}
	})
}

func TestAStoppedReaderFindsBytesBeforeItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resume := make(chan struct{})
		a, b := memnet.Pipe(memnet.End{}, memnet.End{Ready: func() { <-resume }})
		_ = b.SetReadDeadline(time.Now().Add(time.Second))
		write(t, a, "waiting")
		time.AfterFunc(time.Minute, func() { close(resume) })
		if got := read(t, b); got != "waiting" {
			t.Errorf("read %q", got)
		}
	})
}

func TestWriteHookStopsABrokenWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		a, _ := memnet.Pipe(memnet.End{OnWrite: func([]byte) error { return broken }, Prefix: []byte("hello")}, memnet.End{})
		if _, err := a.Write([]byte("x")); err != broken {
			t.Errorf("write: %v, want the hook's error", err)
		}
		if got := read(t, a); got != "hello" {
			t.Errorf("read %q, want the prefix", got)
		}
	})
}

func write(t *testing.T, c net.Conn, s string) {
	t.Helper()
	if _, err := c.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, c net.Conn) string {
	t.Helper()
	b := make([]byte, 64)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}
