// Package tap stands in the path between one client and its Redis server and
// sees every command and its reply.
//
// Goals: bytes pass as they are, well under a third of a millisecond later;
// whoever owns the taps sees the watched key before and after each command that
// can touch it, with no other such command in between; the next reply can be
// lost, and connections reset.
// Non-goals: changing or answering a command; understanding what a command
// does; TLS; and Redis's inline commands, which pass unseen.
//
// A connection's way: [Tap] accepts it and dials the server; conn.go moves
// commands up and replies down; turn.go keeps the others out while a command
// that names the key is under way; pairing.go finds the command that a reply
// belongs to; resp.go cuts the streams.
package tap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// What is told to [Options.Strange], beside [ErrMalformed].
var (
	// ErrUnpaired: a reply came to no command.
	ErrUnpaired = errors.New("a reply without a command")
	// ErrUnseen: a connection went over to a mode in which commands and
	// replies are not told apart. Its later commands pass unseen.
	ErrUnseen = errors.New("later commands pass unseen")
	// ErrNoReply: a command that names the watched key got no reply in time.
	ErrNoReply = errors.New("no reply in time")
	// ErrUpstream: the server takes no connection.
	ErrUpstream = errors.New("no connection to the server")
)

// Command is a command that can touch the watched key.
type Command struct {
	Name string   // in lower case; "exec" for a transaction
	Args []string // with its name; of a transaction, "EXEC" alone
	// Answered: its reply is there, so it has been applied. Set for After.
	Answered bool
	// Late: After was called before, when the reply did not come in time. What
	// happened to the key in between may be this command's work.
	Late bool
}

// Options are what a tap tells, and to whom. Callbacks come from the goroutines
// of connections, several at once; those that are nil are not called. None may
// call [Tap.Close] or lock Serial; all else is allowed.
type Options struct {
	// Key is the watched key. Empty: no command is watched.
	Key string
	// Serial is shared by all taps that watch the same key. It is held from
	// before Before until after After. Nil: the tap has its own.
	Serial *Serializer
	// Before is called before a command that names the key, or removes all
	// keys, is sent to the server, and After when its reply is there, or its
	// connection has ended, or Wait is over. Each Before has one After, or two:
	// see [Command.Late]. Inside a transaction the command is EXEC. A command
	// that waits for a key (as BLPOP does) keeps the others out for no longer
	// than a moment.
	Before, After func(client string, c Command)
	// Command is called with the name, in lower case, of every command, before
	// it is sent.
	Command func(client, name string)
	// Strange is told what should not be.
	Strange func(err error)
	// Wait bounds how long a watched command keeps the others out. 0: 2 s.
	Wait time.Duration
}

// Tap is one client's way to the server.
type Tap struct {
	client   string
	upstream func() string
	o        Options
	l        net.Listener
	ctx      context.Context
	stop     context.CancelFunc
	all      sync.WaitGroup

	mu     sync.Mutex
	conns  map[*conn]bool
	serial int
	losses []func(proof string) // of replies that are to be lost
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
	t.all.Go(t.admit)
	return t, nil
}

func newTap(client string, upstream func() string, o Options) *Tap {
	if o.Serial == nil {
		o.Serial = NewSerializer()
	}
	if o.Wait == 0 {
		o.Wait = 2 * time.Second
	}
	t := &Tap{client: client, upstream: upstream, o: o, conns: map[*conn]bool{}}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Addr is where the client's connections are taken, host:port.
func (t *Tap) Addr() string { return t.l.Addr().String() }

// Conns is how many connections are open.
func (t *Tap) Conns() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.conns)
}

// Close ends the tap, its connections, and all that it runs. A command that is
// under way gets its After first.
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

// Reset cuts all connections of the client with a TCP reset and returns how
// many. What the client had sent still reaches the server.
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
// comes, and resets that connection. fired is called when that has happened.
// Messages of a subscription are no replies. Called again before it has fired,
// it loses one more.
func (t *Tap) LoseReply(fired func(proof string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.losses = append(t.losses, fired)
}

// takeLoss returns whom to tell that a reply is lost, nil if it is not to be.
func (t *Tap) takeLoss() func(proof string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.losses) == 0 {
		return nil
	}
	fired := t.losses[0]
	t.losses = t.losses[1:]
	return fired
}

func (t *Tap) open() []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	var conns []*conn
	for c := range t.conns {
		conns = append(conns, c)
	}
	return conns
}

// admit takes connections until the tap is closed.
func (t *Tap) admit() {
	for {
		client, err := t.l.Accept()
		switch {
		case err == nil:
			t.all.Go(func() { t.join(client) })
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

// join connects the client to the server until one of them ends it.
func (t *Tap) join(client net.Conn) {
	d := net.Dialer{Timeout: t.o.Wait}
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
	c := newConn(t, fmt.Sprint(t.client, "#", t.serial), client, server)
	t.conns[c] = true
	t.mu.Unlock()
	if t.ctx.Err() != nil { // Close may have come before it could be seen
		c.close()
	}
	c.run()
	t.mu.Lock()
	delete(t.conns, c)
	t.mu.Unlock()
}

func (t *Tap) strange(err error) {
	if t.o.Strange != nil {
		t.o.Strange(fmt.Errorf("client %s: %w", t.client, err))
	}
}

func (t *Tap) before(c Command) {
	if t.o.Before != nil {
		t.o.Before(t.client, c)
	}
}

func (t *Tap) after(c Command) {
	if t.o.After != nil {
		t.o.After(t.client, c)
	}
}

func (t *Tap) command(name string) {
	if t.o.Command != nil {
		t.o.Command(t.client, name)
	}
}
