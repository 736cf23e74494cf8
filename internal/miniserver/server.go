// Package miniserver steers a miniredis, for the virtual and the live world: its
// clock, what a restart loses, and the asynchronous replica that miniredis lacks.
//
// Goals: a step back of the clock lengthens lives, as on a real server, which
// stores expiry as a time of day; a failover loses what a real one loses, writes
// and removals alike.
// Non-goals: connections, which each world makes its own way; databases other
// than 0; streams and HyperLogLogs, in which nobody keeps a lock: a failover
// loses them whole; the replication protocol.
package miniserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/proto"

	"github.com/lockchaos/simrun/internal/keyobserver"
)

// Server is a steered miniredis. Its methods may be called from any goroutine.
type Server struct {
	// Mini is the server itself. Call [Server.Tick] before anything in it that
	// depends on time.
	Mini *miniredis.Miniredis

	mu    sync.Mutex // of the clock; taken before miniredis's own lock
	clock clock
	rates []*float64 // set by SetRate and not restored; the last one is in force

	replica atomic.Pointer[replica] // nil: none
}

// New starts a server whose clock shows time.Now. It listens nowhere: hand
// connections to Mini.Server().ServeConn.
func New() (*Server, error) {
	s := &Server{Mini: miniredis.NewMiniRedis(), clock: newClock(time.Now())}
	s.Mini.SetTime(s.clock.shown)
	s.Mini.ClockTTL(true)
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) start() error {
	conn, err := s.Mini.Dial() // starts the server without a listener
	if err == nil {
		err = conn.Close()
	}
	if err != nil {
		return fmt.Errorf("start miniredis: %w", err)
	}
	return nil
}

// Cut ends all connections at once and takes new ones from then on.
func (s *Server) Cut() error {
	s.Mini.Close()
	// Close cancels this context, which blocking commands wait on.
	s.Mini.Ctx, s.Mini.CtxCancel = context.WithCancel(context.Background())
	return s.start()
}

// Tick sets miniredis's clock to what the clock shows now, which it returns.
func (s *Server) Tick() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tick()
}

// tick is Tick with the mutex held, which keeps two goroutines from setting the
// clock in the wrong order.
func (s *Server) tick() time.Time {
	now := s.clock.at(time.Now())
	s.Mini.SetTime(now)
	return now
}

// Jump steps the clock by d and reports how many keys there were, and how many
// of them have expired by that.
func (s *Server) Jump(d time.Duration) (expired, keys int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	keys = len(s.Mini.Keys()) // expires what was due before the step
	s.clock = s.clock.stepped(d)
	s.tick()
	if d < 0 {
		s.Mini.FastForward(d) // miniredis keeps what is left of a key's life
	}
	return keys - len(s.Mini.Keys()), keys
}

// SetRate lets the clock run at rate times real speed until restore is called.
// Of several rates, the last that was set and not restored is in force.
func (s *Server) SetRate(rate float64) (restore func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &rate
	s.rates = append(s.rates, own)
	s.changeRate()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.Index(s.rates, own); i >= 0 {
			s.rates = slices.Delete(s.rates, i, i+1)
			s.changeRate()
		}
	}
}

// changeRate applies the rate in force. The mutex is held.
func (s *Server) changeRate() {
	rate := 1.0
	if n := len(s.rates); n > 0 {
		rate = *s.rates[n-1]
	}
	s.tick()
	s.Mini.DB(0) // expires what was due at the old rate
	s.clock = s.clock.running(time.Now(), rate)
}

// Key reads a key as it is now.
func (s *Server) Key(key string) keyobserver.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.tick()
	db := s.Mini.DB(0) // expires what is due, once for all that follows
	if !db.Exists(key) {
		return keyobserver.State{}
	}
	v, _ := read(db, key, now) // of other types the value stays empty
	state := v.Held()
	if !v.expires.IsZero() {
		state.Expires = time.Now().Add(s.clock.real(v.expires.Sub(now)))
	}
	return state
}

// Restart loses what Redis keeps in memory alone: scripts, and unless keepData the
// keys. It says how many there were and what became of them. Connections stay.
func (s *Server) Restart(keepData bool) (keys string, err error) {
	if err := s.ForgetScripts(); err != nil {
		return "", err
	}
	s.Tick()
	n := len(s.Mini.Keys())
	if keepData {
		return fmt.Sprintf("%d keys kept", n), nil
	}
	s.Mini.FlushAll()
	s.Note()
	return fmt.Sprintf("%d keys lost", n), nil
}

// ForgetScripts forgets every loaded script, as SCRIPT FLUSH does.
func (s *Server) ForgetScripts() error {
	conn, err := s.Mini.Dial()
	if err != nil {
		return fmt.Errorf("forget the scripts: %w", err)
	}
	c := proto.NewClient(conn)
	answer, err := c.Do("SCRIPT", "FLUSH")
	if err == nil && answer != proto.Inline("OK") {
		err = fmt.Errorf("answered %q", answer)
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return fmt.Errorf("forget the scripts: %w", err)
	}
	return nil
}

// Replicate gives the server a new replica, which is lag behind and in step now.
func (s *Server) Replicate(lag time.Duration) {
	_, held := s.snapshot()
	s.replica.Store(newReplica(lag, time.Now(), held))
}

// Lag is how far the replica is behind; ok is false where there is none.
func (s *Server) Lag() (lag time.Duration, ok bool) {
	r := s.replica.Load()
	if r == nil {
		return 0, false
	}
	return r.lag, true
}

// Note passes on to the replica what the server holds. Call it after each change,
// before anybody learns of it.
func (s *Server) Note() {
	if r := s.replica.Load(); r != nil {
		_, held := s.snapshot()
		r.note(time.Now(), held)
	}
}

// Promote puts the replica in the server's place, which has no replica then.
// Connections stay. There must be a replica.
func (s *Server) Promote() (lag time.Duration, loss Loss, err error) {
	r := s.replica.Swap(nil)
	if err := s.ForgetScripts(); err != nil {
		return 0, Loss{}, err
	}
	clock, last := s.snapshot()
	held, loss := r.promote(time.Now(), clock, last)
	if err := held.restore(s.Mini, clock); err != nil {
		return 0, Loss{}, fmt.Errorf("promote the replica: %w", err)
	}
	return r.lag, loss, nil
}

// snapshot is what the server holds, and what its clock shows.
func (s *Server) snapshot() (clock time.Time, held snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.tick()
	return now, take(s.Mini, now)
}
