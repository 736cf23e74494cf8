package virtual

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2/proto"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/keyobserver"
	"github.com/lockchaos/simrun/internal/miniserver"
	"github.com/lockchaos/simrun/internal/virtual/memnet"
)

// helloCommand is the first command on each connection, sent by the world and
// never answered: it tells the server's hook whose connection it is.
const helloCommand = "SIMRUN.CONN"

// lockKey is the key that every strategy locks.
const lockKey = "lock:item"

// redisServer is the run's Redis: its connections, and an observer of the lock's
// key.
type redisServer struct {
	mini  *miniserver.Server
	watch *keyobserver.Observer
	emit  func(history.Event)
	down  atomic.Bool // takes no connections

	mu     sync.Mutex // never held while calling mini
	byID   map[string]*conn
	byPeer map[*server.Peer]*conn
}

// rounding bounds the error of the end of the key's life where Redis's clock does
// not run at real speed.
const rounding = 10 * time.Microsecond

// conn is one connection to Redis.
type conn struct {
	srv       *redisServer
	client    string
	id        string
	near, far *memnet.Conn // the client's end and Redis's
	// pending is set by the goroutine that serves the connection, between a command
	// that may touch the key and its reply.
	pending bool

	// Under srv.mu:
	cut bool // by Redis's death: no command is applied any more
	// loss is what to call when the next reply is lost, and nil once it is. The
	// client's connections share it.
	loss *func(proof string)
}

func newRedisServer(emit func(history.Event)) (*redisServer, error) {
	mini, err := miniserver.New()
	if err != nil {
		return nil, err
	}
	s := &redisServer{mini: mini, emit: emit, byID: map[string]*conn{}, byPeer: map[*server.Peer]*conn{}}
	look := func() keyobserver.State { return mini.Key(lockKey) }
	s.watch = keyobserver.New(look, keyobserver.Slack{Life: time.Millisecond, Expiry: rounding}, emit)
	mini.Mini.Server().SetPreHook(s.before)
	return s, nil
}

// accept makes a connection that has no ends yet.
func (s *redisServer) accept(client, id string) *conn {
	c := &conn{srv: s, client: client, id: id}
	s.mu.Lock()
	s.byID[id] = c
	s.mu.Unlock()
	return c
}

// hello is the connection's helloCommand, in Redis's protocol.
func (c *conn) hello() []byte { return []byte(proto.Strings(helloCommand, c.id)) }

// reset cuts the connection. It reports whether that was open.
func (c *conn) reset() bool {
	open := c.near.Reset()
	c.far.Reset()
	return open
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
	name := strings.ToLower(cmd)
	if !cut && keyobserver.Makes(name) && len(args) > 0 && args[0] == lockKey {
		s.watch.Try()
	}
	if c == nil || cut {
		return cut
	}
	s.mini.Tick()
	if keyobserver.Touches(name, args, lockKey) {
		s.watch.Expire()
		c.pending = true
	}
	s.emit(history.Event{Kind: history.Command, Client: c.client, Detail: name})
	return false
}

// replied runs before the server sends a reply: the command has been applied.
func (c *conn) replied(b []byte) error {
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
func (c *conn) takeLoss() (fired func(proof string)) {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	if c.loss != nil {
		fired, *c.loss = *c.loss, nil
		c.loss = nil
	}
	return fired
}

// loseReply drops the next reply to the client, on whichever of its connections.
func (s *redisServer) loseReply(client string, fired func(proof string)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := false
	for _, c := range s.byPeer {
		if c.client == client {
			c.loss, open = &fired, true
		}
	}
	if !open {
		return errors.New("no connection to lose a reply on")
	}
	return nil
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
