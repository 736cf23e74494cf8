package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/miniserver"
	"github.com/lockchaos/simrun/internal/modversion"
)

// embedded is a miniredis behind our own listener, which sets its clock whenever
// bytes arrive, before the commands in them run. Miniredis's hook would not do: it
// also runs for each command of a script, under the mutex that setting the clock
// takes.
type embedded struct {
	mini     *miniserver.Server
	addr     string // does not change once the server is open
	listener net.Listener
	ended    chan struct{} // closed once the listener accepts no more
}

func openEmbedded() (Server, error) {
	mini, err := miniserver.New()
	if err != nil {
		return nil, err
	}
	s := &embedded{mini: mini}
	if err := s.listen("127.0.0.1:0"); err != nil {
		mini.Mini.Close()
		return nil, fmt.Errorf("start miniredis: %w", err)
	}
	return s, nil
}

// listen starts to accept connections.
func (s *embedded) listen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: %s", ErrServerPort, addr)
	}
	if err != nil {
		return err
	}
	if s.addr == "" {
		s.addr = l.Addr().String()
	}
	s.listener, s.ended = l, make(chan struct{})
	go s.accept(l, s.mini.Mini.Server(), s.ended)
	return nil
}

func (s *embedded) accept(l net.Listener, srv *server.Server, ended chan struct{}) {
	defer close(ended)
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		srv.ServeConn(&steeredConn{Conn: conn, mini: s.mini})
	}
}

// shut closes the listener and ends every connection.
func (s *embedded) shut() error {
	err := s.listener.Close()
	<-s.ended
	return errors.Join(err, s.mini.Cut())
}

// steeredConn sets the server's clock when bytes arrive, and lets the replica know
// what they have changed before they are answered.
type steeredConn struct {
	net.Conn
	mini *miniserver.Server
}

func (c *steeredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.mini.Tick()
	}
	return n, err
}

func (c *steeredConn) Write(b []byte) (int, error) {
	c.mini.Note()
	return c.Conn.Write(b)
}

func (s *embedded) Addr() string            { return s.addr }
func (s *embedded) Prefix() string          { return "" }
func (s *embedded) Options() *redis.Options { return quiet(&redis.Options{Addr: s.addr}) }

// Version is that of the linked miniredis.
func (s *embedded) Version() string {
	return "miniredis " + modversion.Version("github.com/alicebob/miniredis/v2")
}

// JumpClock steps the clock.
func (s *embedded) JumpClock(_ context.Context, d time.Duration) (string, error) {
	expired, keys := s.mini.Jump(d)
	return fmt.Sprintf("miniredis's clock stepped by %v: %d of %d keys expired", d.Round(time.Millisecond), expired, keys), nil
}

// SetRate lets the clock run at rate.
func (s *embedded) SetRate(rate float64) (restore func(), proof string, err error) {
	if rate <= 0 {
		return nil, "", fmt.Errorf("clock rate %g: not above 0", rate)
	}
	return s.mini.SetRate(rate), fmt.Sprintf("miniredis's clock runs at %g of real speed", rate), nil
}

func (s *embedded) Stop(_ context.Context, keepData bool) (proof string, err error) {
	if err := s.shut(); err != nil {
		return "", err
	}
	keys, err := s.mini.Restart(keepData)
	return fmt.Sprintf("miniredis has left %s, its %s", s.addr, keys), err
}

func (s *embedded) Start(context.Context) (proof string, err error) {
	return "miniredis is back at " + s.addr, s.listen(s.addr)
}

// Replicate starts to keep what a replica would hold; there is no second server.
func (s *embedded) Replicate(_ context.Context, lag time.Duration, _ Linker) error {
	if _, has := s.mini.Lag(); has {
		return errReplicated
	}
	s.mini.Replicate(lag)
	return nil
}

// Promote stops the server and starts it again with what its replica held.
func (s *embedded) Promote(context.Context) (proof string, err error) {
	if _, has := s.mini.Lag(); !has {
		return "", ErrNoReplica
	}
	if err := s.shut(); err != nil {
		return "", err
	}
	lag, loss, err := s.mini.Promote()
	if err != nil {
		return "", err
	}
	proof = fmt.Sprintf("miniredis has left %s, and its replica, %v behind, has taken its place: %s", s.addr, lag, loss)
	return proof, s.listen(s.addr)
}

func (s *embedded) Close() error {
	err := s.listener.Close()
	<-s.ended
	s.mini.Mini.Close()
	if errors.Is(err, net.ErrClosed) { // it is down
		return nil
	}
	return err
}
