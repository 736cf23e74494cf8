package lock_test

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// link is one client's network: in-memory connections with a latency, and
// faults that a test switches on and off.
type link struct {
	mu         sync.Mutex
	latency    time.Duration // a direction
	conns      []*conn       // the client's ends
	cut        bool          // bytes stay in the network, both ways, until healed
	delayReply time.Duration
	dropReply  int // so many replies are lost
}

// dial gives a connection's two ends.
func (l *link) dial() (client, server *conn) {
	up, down := newPipe(l, false), newPipe(l, true)
	client, server = &conn{r: down, w: up}, &conn{r: up, w: down}
	l.mu.Lock()
	l.conns = append(l.conns, client)
	l.mu.Unlock()
	return client, server
}

// setCut partitions the client from Redis, or heals it: then what the network
// held is delivered, one connection after the other: no two events share an
// instant.
func (l *link) setCut(cut bool) {
	l.mu.Lock()
	l.cut = cut
	conns := l.conns
	l.mu.Unlock()
	for i, c := range conns {
		c.r.setCut(cut, time.Duration(2*i)*time.Microsecond)
		c.w.setCut(cut, time.Duration(2*i+1)*time.Microsecond)
	}
}

// cutOpenConns cuts the connections there are; new ones work.
func (l *link) cutOpenConns() {
	l.setCut(true)
	l.mu.Lock()
	l.cut = false
	l.mu.Unlock()
}

func (l *link) setLatency(d time.Duration) {
	l.mu.Lock()
	l.latency = d
	l.mu.Unlock()
}

// delayNextReply holds what Redis writes next for d more.
func (l *link) delayNextReply(d time.Duration) {
	l.mu.Lock()
	l.delayReply = d
	l.mu.Unlock()
}

// dropReplies loses the next n things that Redis writes, and resets their
// connections.
func (l *link) dropReplies(n int) {
	l.mu.Lock()
	l.dropReply = n
	l.mu.Unlock()
}

// fate of one write: how long it travels, and whether it arrives.
func (l *link) fate(reply bool) (d time.Duration, dropped, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d = l.latency
	if reply {
		d += l.delayReply
		dropped = l.dropReply > 0
		l.delayReply, l.dropReply = 0, max(0, l.dropReply-1)
	}
	return d, dropped, l.cut
}

type conn struct{ r, w *pipe }

func (c *conn) Read(p []byte) (int, error)         { return c.r.read(p) }
func (c *conn) Write(p []byte) (int, error)        { return c.w.write(p, c) }
func (c *conn) LocalAddr() net.Addr                { return &net.TCPAddr{} }
func (c *conn) RemoteAddr() net.Addr               { return &net.TCPAddr{} }
func (c *conn) SetDeadline(t time.Time) error      { c.r.setDeadline(t); return nil }
func (c *conn) SetReadDeadline(t time.Time) error  { c.r.setDeadline(t); return nil }
func (c *conn) SetWriteDeadline(t time.Time) error { return nil }

// Close ends the reading side at once; what was written still arrives.
func (c *conn) Close() error {
	c.r.end(net.ErrClosed, true)
	c.w.end(io.EOF, false)
	return nil
}

func (c *conn) reset() {
	err := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	c.r.end(err, true)
	c.w.end(err, true)
}

type chunk struct {
	at    time.Time
	bytes []byte
}

// pipe is one direction of a connection.
type pipe struct {
	link  *link
	reply bool // from Redis to the client

	mu       sync.Mutex
	wake     *sync.Cond
	chunks   []chunk
	cut      bool
	ended    error // nil while open
	deadline time.Time
}

func newPipe(l *link, reply bool) *pipe {
	p := &pipe{link: l, reply: reply}
	p.wake = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) write(b []byte, c *conn) (int, error) {
	d, dropped, cut := p.link.fate(p.reply)
	if dropped {
		c.reset()
		return len(b), nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return 0, p.ended
	}
	p.cut = p.cut || cut
	at := time.Now().Add(d)
	if n := len(p.chunks); n > 0 && at.Before(p.chunks[n-1].at) {
		at = p.chunks[n-1].at
	}
	p.chunks = append(p.chunks, chunk{at, append([]byte(nil), b...)})
	time.AfterFunc(time.Until(at), p.broadcast)
	return len(b), nil
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if len(p.chunks) > 0 && !p.cut && !time.Now().Before(p.chunks[0].at) {
			n := copy(b, p.chunks[0].bytes)
			if p.chunks[0].bytes = p.chunks[0].bytes[n:]; len(p.chunks[0].bytes) == 0 {
				p.chunks = p.chunks[1:]
			}
			return n, nil
		}
		if p.ended != nil && len(p.chunks) == 0 {
			return 0, p.ended
		}
		if !p.deadline.IsZero() && !time.Now().Before(p.deadline) {
			return 0, os.ErrDeadlineExceeded
		}
		p.wake.Wait()
	}
}

// end closes the pipe; flush throws away what is under way.
func (p *pipe) end(err error, flush bool) {
	p.mu.Lock()
	if p.ended == nil {
		p.ended = err
	}
	if flush {
		p.chunks = nil
	}
	p.mu.Unlock()
	p.broadcast()
}

// setCut holds what is under way, or lets it go on after delay.
func (p *pipe) setCut(cut bool, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut = cut; cut {
		return
	}
	soonest := time.Now().Add(delay)
	for i := range p.chunks {
		if p.chunks[i].at.Before(soonest) {
			p.chunks[i].at = soonest
		}
		time.AfterFunc(time.Until(p.chunks[i].at), p.broadcast)
	}
}

func (p *pipe) setDeadline(t time.Time) {
	p.mu.Lock()
	p.deadline = t
	p.mu.Unlock()
	p.broadcast()
	if !t.IsZero() {
		time.AfterFunc(time.Until(t), p.broadcast)
	}
}

func (p *pipe) broadcast() {
	p.mu.Lock()
	p.wake.Broadcast()
	p.mu.Unlock()
}

// resetConns resets all connections, as a TCP reset does.
func (l *link) resetConns() {
	l.mu.Lock()
	conns := l.conns
	l.mu.Unlock()
	for _, c := range conns {
		c.reset()
	}
}
