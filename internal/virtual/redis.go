package virtual

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/keyobserver"
	"github.com/lockchaos/simrun/internal/miniserver"
)

// helloCommand is the first command on each connection, sent by the world and
// never answered: it tells the server's hook whose connection it is.
const helloCommand = "SIMRUN.CONN"

// redisServer is the run's Redis: its connections, and an observer of the lock's
// key.
type redisServer struct {
	mini  *miniserver.Server
	key   string
	watch *keyobserver.Observer
	emit  func(history.Event)

	mu     sync.Mutex // never held while calling mini
	byID   map[string]*serverConn
	byPeer map[*server.Peer]*serverConn
	down   bool // takes no connections
}

// rounding bounds the error of the end of the key's life where Redis's clock does
// not run at real speed.
const rounding = 10 * time.Microsecond

// serverConn is what the server knows of one connection.
type serverConn struct {
	srv    *redisServer
	client string
	id     string
	reset  func()
	// pending is set by the goroutine that serves the connection, between a command
	// that may touch the key and its reply.
	pending bool

	// Under srv.mu:
	cut  bool  // by Redis's death: no command is applied any more
	loss *loss // shared by the client's connections; nil: replies arrive
}

// loss is one reply to be lost.
type loss struct{ fired func(proof string) } // nil once it is lost

func newRedisServer(key string, emit func(history.Event)) (*redisServer, error) {
	mini, err := miniserver.New()
	if err != nil {
		return nil, err
	}
	s := &redisServer{mini: mini, key: key, emit: emit, byID: map[string]*serverConn{}, byPeer: map[*server.Peer]*serverConn{}}
	look := func() keyobserver.State { return mini.Key(key) }
	s.watch = keyobserver.New(look, keyobserver.Slack{Life: time.Millisecond, Expiry: rounding}, emit)
	mini.Mini.Server().SetPreHook(s.before)
	return s, nil
}

func (s *redisServer) accept(client, id string, reset func()) *serverConn {
	c := &serverConn{srv: s, client: client, id: id, reset: reset}
	s.mu.Lock()
	s.byID[id] = c
	s.mu.Unlock()
	return c
}

func (s *redisServer) serve(conn net.Conn) { s.mini.Mini.Server().ServeConn(conn) }

// hello is the connection's helloCommand, in Redis's protocol.
func (c *serverConn) hello() []byte {
	return fmt.Appendf(nil, "*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(helloCommand), helloCommand, len(c.id), c.id)
}

// before runs before each command, and before each command that a script calls:
// those come from a peer without a hello, under miniredis's own mutex.
func (s *redisServer) before(p *server.Peer, cmd string, args ...string) bool {
	if cmd == helloCommand {
		s.mu.Lock()
		s.byPeer[p] = s.byID[args[0]]
		s.mu.Unlock()
		p.OnDisconnect(func() {
			s.mu.Lock()
			delete(s.byPeer, p)
			s.mu.Unlock()
		})
		return true
	}
	s.mu.Lock()
	c := s.byPeer[p]
	cut := c != nil && c.cut
	s.mu.Unlock()
	if c == nil || cut {
		return cut
	}
	s.mini.Tick()
	name := strings.ToLower(cmd)
	if keyobserver.Touches(name, args, s.key) {
		s.watch.Expire()
		c.pending = true
	}
	s.emit(history.Event{Kind: history.Command, Client: c.client, Detail: name})
	return false
}

// replied runs before the server sends a reply: the command has been applied.
func (c *serverConn) replied(b []byte) error {
	if c.pending {
		c.pending = false
		c.srv.watch.Sync(c.client)
	}
	c.srv.mini.Note()
	fired := c.takeLoss()
	if fired == nil {
		return nil
	}
	fired(fmt.Sprintf("reply of %d bytes on connection %s dropped, connection reset", len(b), c.id))
	c.reset()
	return syscall.ECONNRESET
}

// takeLoss returns what to call if the connection's next reply is lost, else nil.
func (c *serverConn) takeLoss() (fired func(proof string)) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	if c.loss != nil {
		fired, c.loss.fired = c.loss.fired, nil
		c.loss = nil
	}
	return fired
}

// loseReply drops the next reply to the client, on whichever of its connections.
func (s *redisServer) loseReply(client string, fired func(proof string)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, open := &loss{fired}, false
	for _, c := range s.byPeer {
		if c.client == client {
			c.loss, open = l, true
		}
	}
	if !open {
		return errors.New("no connection to lose a reply on")
	}
	return nil
}

// jump steps Redis's clock.
func (s *redisServer) jump(d time.Duration) {
	s.mini.Jump(d)
	s.watch.Sync("")
}

// setRate lets Redis's clock run at rate until restore is called.
func (s *redisServer) setRate(rate float64) (restore func()) {
	undo := s.mini.SetRate(rate)
	s.watch.Sync("")
	return func() {
		undo()
		s.watch.Sync("")
	}
}

// cut keeps commands on the connections of now from being applied any more. It
// returns how many were open.
func (s *redisServer) cut() (open int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.byID {
		c.cut = true
	}
	return len(s.byPeer)
}

// setDown reports false where it changes nothing.
func (s *redisServer) setDown(down bool) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = s.down != down
	s.down = down
	return changed
}

func (s *redisServer) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// close ends the server and all its connections.
func (s *redisServer) close() {
	s.watch.Stop()
	s.mini.Mini.Close()
}
