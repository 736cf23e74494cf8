package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/modversion"
	"github.com/lockchaos/simrun/internal/snapshot"
)

// embedded is a miniredis behind a listener of our own, so that its clock is
// set whenever bytes arrive, before the commands in them run. Miniredis's own
// hook also runs for each command of a script, under the lock that setting its
// clock takes.
type embedded struct {
	o    Options
	m    *miniredis.Miniredis
	addr string

	mu    sync.Mutex // of the clock; taken before miniredis's own lock
	clock clock
	rates engine.Rates

	life   sync.Mutex // of what opens and shuts the server
	door   *door
	down   bool
	closed bool

	replica atomic.Pointer[snapshot.Replica] // nil: none was asked for
}

func openEmbedded(o Options) (Server, error) {
	s := &embedded{o: o, m: miniredis.NewMiniRedis(), clock: newClock(time.Now())}
	s.m.SetTime(s.clock.shown)
	s.m.ClockTTL(true)
	if err := s.open(net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port))); err != nil {
		return nil, err
	}
	o.log("%s on %s", s.Version(), s.addr)
	return s, nil
}

// door is one listener and what it lets in.
type door struct {
	l     net.Listener
	srv   *server.Server
	ended chan struct{}
}

// open starts the server and lets connections in.
func (s *embedded) open(addr string) error {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: %s", ErrServerPort, addr)
	}
	if err != nil {
		return fmt.Errorf("start miniredis: %w", err)
	}
	first, err := s.m.Dial() // starts the server without a listener of its own
	if err == nil {
		err = first.Close()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("start miniredis: %w", err), l.Close())
	}
	s.addr = l.Addr().String()
	s.door = &door{l: l, srv: s.m.Server(), ended: make(chan struct{})}
	go s.door.admit(s)
	return nil
}

func (d *door) admit(s *embedded) {
	defer close(d.ended)
	for {
		conn, err := d.l.Accept()
		if err != nil {
			return
		}
		d.srv.ServeConn(&tickingConn{Conn: conn, s: s})
	}
}

// shut ends the server and every connection, and waits for their ends.
func (s *embedded) shut() error {
	err := s.door.l.Close()
	<-s.door.ended
	s.m.Close()
	return err
}

// tickingConn moves the server's clock to now when bytes arrive, and lets the
// replica know what they have done before they are answered.
type tickingConn struct {
	net.Conn
	s *embedded
}

func (c *tickingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.s.tick()
	}
	return n, err
}

func (c *tickingConn) Write(b []byte) (int, error) {
	c.s.note()
	return c.Conn.Write(b)
}

// tick moves miniredis's clock to what the clock shows now. The mutex keeps two
// connections from setting it in the wrong order.
func (s *embedded) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tickLocked()
}

func (s *embedded) tickLocked() { s.m.SetTime(s.clock.at(time.Now())) }

func (s *embedded) Addr() string            { return s.addr }
func (s *embedded) Prefix() string          { return s.o.Prefix }
func (s *embedded) Options() *redis.Options { return quiet(&redis.Options{Addr: s.addr}) }

// Version is miniredis's, as it was linked in.
func (s *embedded) Version() string {
	return "miniredis " + modversion.Version("github.com/alicebob/miniredis/v2")
}

// JumpClock steps the clock. A real server keeps expiry as a time of day, so a
// step back lengthens what is left of every key; miniredis keeps what is left.
func (s *embedded) JumpClock(_ context.Context, d time.Duration) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tickLocked()
	before := len(s.m.Keys()) // lets time that has passed reach the keys
	s.clock = s.clock.stepped(d)
	s.tickLocked()
	if d < 0 {
		s.m.FastForward(d)
	}
	gone := before - len(s.m.Keys())
	return fmt.Sprintf("miniredis's clock stepped by %v: %d of %d keys expired", d.Round(time.Millisecond), gone, before), nil
}

// SetRate lets the clock run at rate.
func (s *embedded) SetRate(rate float64) (restore func(), proof string, err error) {
	if rate <= 0 {
		return nil, "", fmt.Errorf("clock rate %g: not above 0", rate)
	}
	set := func(rate float64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tickLocked()
		s.m.DB(0) // lets time that has passed reach the keys
		s.clock = s.clock.running(time.Now(), rate)
	}
	return s.rates.Set(rate, set), fmt.Sprintf("miniredis's clock runs at %g of real speed", rate), nil
}

// Close ends the server.
func (s *embedded) Close() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.down {
		return nil
	}
	if err := s.shut(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close miniredis: %w", err)
	}
	return nil
}

func kept(keep bool) string {
	if keep {
		return "kept"
	}
	return "lost"
}
