// Package memnet is an in-memory network for a synctest bubble: byte streams
// with a latency drawn for each message.
//
// Goals: TCP as a program sees it (in-flight bytes arrive before an end of
// file, a reset destroys them, deadlines work) and no two messages that arrive
// in the same nanosecond, since the order of events in one instant is not
// decided by a seed.
// Non-goals: anything below the byte stream: windows, segments, retransmission.
package memnet

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// Latency draws the latency of the next message of one direction. It is called by
// the direction's writer only. A nil Latency means none.
type Latency func() time.Duration

// Slots is how many directions of connections there can be without two messages
// arriving in the same nanosecond: each has a different End.Slot.
const Slots = 4096

// End configures one end of a connection.
type End struct {
	// Ready, if not nil, is called before bytes are handed to a reader and
	// before a write: it may block, as a stopped process does.
	Ready func()
	// OnWrite, if not nil, is called before bytes are sent. An error is
	// returned by Write, and nothing is sent.
	OnWrite func(b []byte) error
	// Prefix is read before what the peer sends.
	Prefix []byte
	// Send draws the latency of what this end sends.
	Send Latency
	// Slot, from 0 to Slots-1, is unique to this direction if Send is not nil.
	Slot int64
}

// Conn is one end of an in-memory connection.
type Conn struct {
	end     End
	in, out *pipe
}

// Pipe makes a connection and returns its two ends.
func Pipe(a, b End) (*Conn, *Conn) {
	ab, ba := newPipe(a), newPipe(b)
	return &Conn{end: a, in: ba, out: ab}, &Conn{end: b, in: ab, out: ba}
}

// Read waits for bytes, an end of file, a reset, or the read deadline.
func (c *Conn) Read(b []byte) (int, error) {
	if len(c.end.Prefix) > 0 {
		n := copy(b, c.end.Prefix)
		c.end.Prefix = c.end.Prefix[n:]
		return n, nil
	}
	return c.in.read(b, c.end.Ready)
}

// Write sends bytes. It never waits for the peer.
func (c *Conn) Write(b []byte) (int, error) {
	if c.end.Ready != nil {
		c.end.Ready()
	}
	if c.end.OnWrite != nil {
		if err := c.end.OnWrite(b); err != nil {
			return 0, err
		}
	}
	return c.out.write(b)
}

// Close sends an end of file after what is in flight. Reads fail from then on.
func (c *Conn) Close() error {
	c.out.shutdown()
	c.in.abandon(net.ErrClosed)
	return nil
}

// Reset ends both directions at once, losing what is in flight. Both ends see
// ECONNRESET. It reports whether the connection was open until then.
func (c *Conn) Reset() bool {
	in := c.in.abandon(syscall.ECONNRESET)
	out := c.out.abandon(syscall.ECONNRESET)
	return in && out
}

// LocalAddr is the same for every connection.
func (c *Conn) LocalAddr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

// RemoteAddr is the same for every connection.
func (c *Conn) RemoteAddr() net.Addr { return c.LocalAddr() }

// SetDeadline sets the read deadline; a write never waits.
func (c *Conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline sets when a waiting Read gives up with os.ErrDeadlineExceeded.
func (c *Conn) SetReadDeadline(t time.Time) error { c.in.setDeadline(t); return nil }

// SetWriteDeadline does nothing: a write never waits.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// pipe is one direction of a connection. It has one reader and one writer.
type pipe struct {
	latency Latency
	slot    int64         // messages arrive this many nanoseconds after a multiple of Slots
	wake    chan struct{} // holds a token when the reader should look again

	mu       sync.Mutex // never held over a wait
	queue    []chunk
	last     time.Time // the next chunk arrives no sooner
	deadline time.Time // of the reader
	shut     bool      // the writer has sent its last byte
	gone     error     // the reader reads no more, or the connection was reset
}

type chunk struct {
	at    time.Time
	bytes []byte // nil: end of file
}

func newPipe(from End) *pipe {
	return &pipe{latency: from.Send, slot: from.Slot % Slots, wake: make(chan struct{}, 1)}
}

func (p *pipe) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.shut:
		return 0, net.ErrClosed
	case p.gone != nil:
		return 0, syscall.ECONNRESET
	}
	p.push(append([]byte(nil), b...))
	return len(b), nil
}

// push queues bytes to arrive after a latency, and after everything queued before.
func (p *pipe) push(b []byte) {
	at := time.Now()
	if p.latency != nil {
		at = at.Add(p.latency())
		if at.Before(p.last) {
			at = p.last
		}
		at = p.inSlot(at)
		p.last = at.Add(time.Nanosecond)
	}
	p.queue = append(p.queue, chunk{at, b})
	p.nudge()
}

// inSlot returns the first instant from t on that belongs to the pipe.
func (p *pipe) inSlot(t time.Time) time.Time {
	ahead := (p.slot - t.UnixNano()%Slots + Slots) % Slots
	return t.Add(time.Duration(ahead))
}

// read waits for bytes. ready is called before they are handed out: a paused process
// takes nothing from its sockets.
func (p *pipe) read(b []byte, ready func()) (int, error) {
	var timer *time.Timer
	for {
		if ready != nil {
			ready()
		}
		n, wait, err := p.take(b)
		if n > 0 || err != nil {
			return n, err
		}
		if wait < 0 {
			<-p.wake
			continue
		}
		if timer == nil {
			timer = time.NewTimer(wait)
			defer timer.Stop()
		} else {
			timer.Reset(wait)
		}
		select {
		case <-p.wake:
		case <-timer.C:
		}
	}
}

// take returns what has arrived, or how long to wait for it (-1: until woken).
// Bytes that have arrived come before a deadline that has passed, as for a process
// that was stopped and finds both when it continues.
func (p *pipe) take(b []byte) (n int, wait time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != nil {
		return 0, 0, p.gone
	}
	now := time.Now()
	wait = -1
	if len(p.queue) > 0 {
		head := &p.queue[0]
		if wait = head.at.Sub(now); wait <= 0 {
			if head.bytes == nil {
				return 0, 0, io.EOF
			}
			n = copy(b, head.bytes)
			if head.bytes = head.bytes[n:]; len(head.bytes) == 0 {
				p.queue[0] = chunk{}
				p.queue = p.queue[1:]
			}
			return n, 0, nil
		}
	}
	if !p.deadline.IsZero() {
		left := p.deadline.Sub(now)
		if left <= 0 {
			return 0, 0, os.ErrDeadlineExceeded
		}
		if wait < 0 || left < wait {
			wait = left
		}
	}
	return 0, wait, nil
}

func (p *pipe) setDeadline(t time.Time) {
	p.mu.Lock()
	p.deadline = t
	p.mu.Unlock()
	p.nudge()
}

// shutdown sends an end of file after what is in flight.
func (p *pipe) shutdown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		return
	}
	p.shut = true
	if p.gone == nil {
		p.push(nil)
	}
}

// abandon ends the pipe at once, losing what is in flight: reads fail with err,
// writes with ECONNRESET. It reports whether the pipe was in use until then.
func (p *pipe) abandon(err error) bool {
	p.mu.Lock()
	open := p.gone == nil
	if open {
		p.gone = err
		p.queue = nil
	}
	p.mu.Unlock()
	p.nudge()
	return open
}
