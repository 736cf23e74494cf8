// Package tap stands between one client and its Redis server and sees every
// command and its reply.
//
// Goals: bytes pass unchanged, well under a third of a millisecond later; the
// owner of the taps sees the watched key before and after each command that can
// touch it, with no other such command in between; the next reply can be lost, and
// connections reset.
// Non-goals: changing or answering a command; understanding what a command does;
// TLS; and Redis's inline commands, which pass unseen.
//
// A connection's path: [Tap] accepts it and dials the server; conn.go moves
// commands up and replies down, one key command at a time; pairing.go finds the
// command that a reply belongs to; resp.go cuts the streams.
package tap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// Tap is one client's path to the server.
type Tap struct {
	path
	upstream func() string
	l        net.Listener
	stop     context.CancelFunc
	all      sync.WaitGroup

	mu     sync.Mutex
	conns  map[*conn]bool
	serial int
}

// New opens a tap on a free port of the loopback interface. It asks upstream for
// the server's address, host:port, before each connection: a failover may have
// moved it.
func New(client string, upstream func() string, o Options) (*Tap, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("tap of client %s: %w", client, err)
	}
	t := newTap(client, upstream, o)
	t.l = l
	t.all.Go(t.accept)
	return t, nil
}

func newTap(client string, upstream func() string, o Options) *Tap {
	t := &Tap{path: path{client: client, o: o}, upstream: upstream, conns: map[*conn]bool{}}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Addr is where the client connects to, host:port.
func (t *Tap) Addr() string { return t.l.Addr().String() }

// Close ends the tap, its connections, and everything it runs. A command in flight
// gets its After first.
func (t *Tap) Close() error {
	t.stop()
	err := t.l.Close()
	for _, c := range t.open() {
		c.close()
	}
	t.all.Wait()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close tap of client %s: %w", t.client, err)
	}
	return nil
}

// Reset cuts all connections of the client with a TCP reset and returns how many.
// What the client had sent still reaches the server.
func (t *Tap) Reset() int {
	n := 0
	for _, c := range t.open() {
		if c.reset() {
			n++
		}
	}
	return n
}

// LoseReply drops the next reply to the client, on whichever connection it
// arrives, and resets that connection; then it calls fired. Messages of a
// subscription are not replies. A second call before then loses one more reply.
func (t *Tap) LoseReply(fired func(proof string)) {
	t.lossMu.Lock()
	defer t.lossMu.Unlock()
	t.losses = append(t.losses, fired)
}

// open returns the open connections.
func (t *Tap) open() []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.conns))
}

// accept accepts connections until the tap is closed.
func (t *Tap) accept() {
	for {
		client, err := t.l.Accept()
		switch {
		case err == nil:
			t.all.Go(func() { t.connect(client) })
		case errors.Is(err, net.ErrClosed):
			return
		default: // out of file descriptors: some may be closed soon
			t.strange(fmt.Errorf("accept: %w", err))
			select {
			case <-t.ctx.Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

// connect connects the client to the server until one of them ends it.
func (t *Tap) connect(client net.Conn) {
	d := net.Dialer{Timeout: replyTimeout}
	server, err := d.DialContext(t.ctx, "tcp", t.upstream())
	if err != nil {
		if t.ctx.Err() == nil {
			t.strange(fmt.Errorf("%w: %w", ErrUpstream, err))
		}
		abort(client)
		return
	}
	t.serve(client, server)
}

// serve runs a connection until it ends.
func (t *Tap) serve(client, server net.Conn) {
	t.mu.Lock()
	t.serial++
	c := newConn(&t.path, fmt.Sprint(t.client, "#", t.serial), client, server)
	t.conns[c] = true
	t.mu.Unlock()
	if t.ctx.Err() != nil { // Close may have come before it could see the connection
		c.close()
	}
	c.run()
	t.mu.Lock()
	delete(t.conns, c)
	t.mu.Unlock()
}
