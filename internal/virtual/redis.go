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
	cut    bool // by Redis's death: no command is applied any more; under srv.mu

	// Set by the goroutine that serves the connection, between a command and
	// its reply.
	pending bool

	mu   sync.Mutex
	lose func(proof string) // loses the next reply; nil: keep it
}

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
	c.mu.Lock()
	lose := c.lose
	c.lose = nil
	c.mu.Unlock()
	if lose == nil {
		return nil
	}
	lose(fmt.Sprintf("reply of %d bytes on connection %s dropped, connection reset", len(b), c.id))
	c.reset()
	return syscall.ECONNRESET
}

// loseReply drops the next reply to the client, on whichever of its connections.
func (s *redisServer) loseReply(client string, fired func(string)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var conns []*serverConn
	for _, c := range s.byPeer {
		if c.client == client {
			conns = append(conns, c)
		}
	}
	if len(conns) == 0 {
		return errors.New("no connection to lose a reply on")
	}
	var once sync.Once
	lose := func(proof string) {
		once.Do(func() {
			s.keepReplies(client)
			fired(proof)
		})
	}
	for _, c := range conns {
		c.mu.Lock()
		c.lose = lose
		c.mu.Unlock()
	}
	return nil
}

// keepReplies disarms loseReply on all connections of the client.
func (s *redisServer) keepReplies(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.byPeer {
		if c.client == client {
			c.mu.Lock()
			c.lose = nil
			c.mu.Unlock()
		}
	}
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
