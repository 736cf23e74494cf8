package memnet

import (
	"net"
	"syscall"
	"time"
)

// Conn is one end of an in-memory connection.
type Conn struct {
	in, out *pipe
	ready   func()
	onWrite func(b []byte) error
	prefix  []byte // bytes to read before those of the peer
}

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

// Pipe makes a connection and returns its two ends.
func Pipe(a, b End) (*Conn, *Conn) {
	ab, ba := newPipe(a), newPipe(b)
	return &Conn{in: ba, out: ab, ready: a.Ready, onWrite: a.OnWrite, prefix: a.Prefix},
		&Conn{in: ab, out: ba, ready: b.Ready, onWrite: b.OnWrite, prefix: b.Prefix}
}

// Read waits for bytes, an end of file, a reset, or the read deadline.
func (c *Conn) Read(b []byte) (int, error) {
	if len(c.prefix) > 0 {
		n := copy(b, c.prefix)
		c.prefix = c.prefix[n:]
		return n, nil
	}
	return c.in.read(b, c.ready)
}

// Write sends bytes. It never waits for the peer.
func (c *Conn) Write(b []byte) (int, error) {
	if c.ready != nil {
		c.ready()
	}
	if c.onWrite != nil {
		if err := c.onWrite(b); err != nil {
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

type addr struct{}

func (addr) Network() string { return "memory" }
func (addr) String() string  { return "memory" }

// LocalAddr is the same for every connection.
func (c *Conn) LocalAddr() net.Addr { return addr{} }

// RemoteAddr is the same for every connection.
func (c *Conn) RemoteAddr() net.Addr { return addr{} }

// SetDeadline sets the read deadline; a write never waits.
func (c *Conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline sets when a waiting Read gives up with os.ErrDeadlineExceeded.
func (c *Conn) SetReadDeadline(t time.Time) error { c.in.setDeadline(t); return nil }

// SetWriteDeadline does nothing: a write never waits.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }
