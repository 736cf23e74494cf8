package virtual

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/keyobserver"
	"github.com/lockchaos/simrun/internal/snapshot"
)

// introduce is the first command on each connection, put there by the world
// and never answered: it tells the server's hook whose connection it is.
const introduce = "SIMRUN.CONN"

// redisServer is a miniredis with a clock of its own and an observer of one key.
type redisServer struct {
	m     *miniredis.Miniredis
	key   string
	watch *keyobserver.Watch
	emit  func(history.Event)

	mu      sync.Mutex
	clock   serverClock
	rates   engine.Rates // of the clock
	byID    map[string]*serverConn
	byPeer  map[*server.Peer]*serverConn
	down    bool              // takes no connections
	replica *snapshot.Replica // nil: no fault needs one
}

// rounding is how far the end of a key's life may be off where Redis's clock
// runs at a rate of its own.
const rounding = 10 * time.Microsecond

// serverConn is what the server knows of one connection.
type serverConn struct {
	srv    *redisServer
	client string
	id     string
	reset  func()
	cut    bool // at Redis's end: nothing is carried out any more; under srv.mu

	// Set by the goroutine that serves the connection, between a command and
	// its reply.
	pending bool

	mu   sync.Mutex
	lose func(proof string) // loses the next reply; nil: keep it
}

func newRedisServer(key string, emit func(history.Event)) (*redisServer, error) {
	m := miniredis.NewMiniRedis()
	first, err := m.Dial() // starts the server without a listener
	if err != nil {
		return nil, fmt.Errorf("start miniredis: %w", err)
	}
	if err := first.Close(); err != nil {
		return nil, fmt.Errorf("start miniredis: %w", err)
	}
	s := &redisServer{
		m:      m,
		key:    key,
		emit:   emit,
		clock:  newServerClock(),
		byID:   map[string]*serverConn{},
		byPeer: map[*server.Peer]*serverConn{},
	}
	m.SetTime(s.clock.now())
	m.ClockTTL(true)
	s.watch = keyobserver.New(s.look, keyobserver.Slack{Life: time.Millisecond, Expiry: rounding}, emit)
	m.Server().SetPreHook(s.before)
	return s, nil
}

func (s *redisServer) accept(client, id string, reset func()) *serverConn {
	c := &serverConn{srv: s, client: client, id: id, reset: reset}
	s.mu.Lock()
	s.byID[id] = c
	s.mu.Unlock()
	return c
}

func (s *redisServer) serve(conn net.Conn) { s.m.Server().ServeConn(conn) }

// hello is the introduction of the connection, in Redis's protocol.
func (c *serverConn) hello() []byte {
	return fmt.Appendf(nil, "*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(introduce), introduce, len(c.id), c.id)
}

// before runs before each command, also before those that a script calls: these
// come from a peer that was never introduced, under miniredis's own lock.
func (s *redisServer) before(p *server.Peer, cmd string, args ...string) bool {
	if cmd == introduce {
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
	s.tick()
	if touches(cmd, args, s.key) {
		s.watch.Expire()
		c.pending = true
	}
	s.emit(history.Event{Kind: history.Command, Client: c.client, Detail: strings.ToLower(cmd)})
	return false
}

// look reads the key as it is now.
func (s *redisServer) look() keyobserver.State {
	s.tick()
	db := s.m.DB(0) // lets time that has passed reach the keys, once for all that follows
	if !db.Exists(s.key) {
		return keyobserver.State{}
	}
	state := keyobserver.State{There: true}
	switch db.Type(s.key) {
	case "string":
		state.Value, _ = db.Get(s.key)
	case "hash":
		fields, _ := db.HKeys(s.key)
		slices.Sort(fields)
		var b strings.Builder
		for _, f := range fields {
			b.WriteString(f)
			b.WriteByte('=')
			b.WriteString(db.HGet(s.key, f))
			b.WriteByte('\n')
		}
		state.Value = b.String()
	case "list": // of those that wait in a list, the first is the holder
		if all, _ := db.List(s.key); len(all) > 0 {
			state.Value = all[0]
		}
	case "set":
		all, _ := db.Members(s.key)
		slices.Sort(all)
		state.Value = strings.Join(all, "\n")
	}
	if ttl := db.TTL(s.key); ttl > 0 {
		state.Expires = time.Now().Add(s.real(ttl))
	}
	return state
}

// touches reports whether a command can change the key: it names it, or it may
// do so without naming it.
func touches(cmd string, args []string, key string) bool {
	switch cmd {
	case "EXEC", "EVAL", "EVALSHA", "FLUSHALL", "FLUSHDB", "SWAPDB":
		return true
	}
	return slices.Contains(args, key)
}

// replied runs before the server sends a reply: the command has been applied.
func (c *serverConn) replied(b []byte) error {
	if c.pending {
		c.pending = false
		c.srv.watch.Sync(c.client)
	}
	c.srv.note()
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

// loseReply drops the next reply on the connection that is at work for the
// client now, or else on whichever of its connections next gets one.
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

// tick moves Redis's clock to what it shows now.
func (s *redisServer) tick() {
	s.mu.Lock()
	now := s.clock.now()
	s.mu.Unlock()
	s.m.SetTime(now)
}

// real is how long a time on Redis's clock takes.
func (s *redisServer) real(d time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock.real(d)
}

// jump steps Redis's clock. A real server keeps expiry as a time of day, so a
// step back lengthens what is left of every key; miniredis keeps what is left.
func (s *redisServer) jump(d time.Duration) {
	s.tick()
	s.m.DB(0) // lets time that has passed reach the keys
	s.mu.Lock()
	s.clock.offset += d
	s.mu.Unlock()
	s.tick()
	if d < 0 {
		s.m.FastForward(d)
	}
	s.watch.Sync("")
}

// setRate lets Redis's clock run at rate from now on.
func (s *redisServer) setRate(rate float64) {
	s.tick()
	s.mu.Lock()
	s.clock = s.clock.at(rate)
	s.mu.Unlock()
	s.watch.Sync("")
}

// close ends the server and all its connections.
func (s *redisServer) close() {
	s.watch.Stop()
	s.m.Close()
}
