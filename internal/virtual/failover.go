package virtual

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/lockchaos/simrun/internal/snapshot"
	"github.com/lockchaos/simrun/internal/virtual/memnet"
)

var (
	errDown      = errors.New("redis is down already")
	errNoReplica = errors.New("there is no replica")
)

// Restart takes Redis down, with its data kept or lost, until start.
func (f faultWorld) Restart(keepData bool) (start func(), proof string, err error) {
	r := f.w.redis
	if !r.setDown(true) {
		return nil, "", errDown
	}
	n := f.w.hangUp()
	if err := snapshot.ForgetScripts(r.m); err != nil {
		return nil, "", err
	}
	r.tick()
	keys := len(r.m.Keys())
	what := "kept"
	if !keepData {
		r.m.FlushAll()
		r.note()
		what = "lost"
	}
	r.watch.Sync("")
	proof = fmt.Sprintf("Redis is down: %d connections closed, new ones refused, %d keys %s", n, keys, what)
	return func() { r.setDown(false) }, proof, nil
}

// Replicate gives Redis a replica.
func (f faultWorld) Replicate(lag time.Duration) error {
	r := f.w.redis
	if has := r.follower(); has != nil && has.Lag() != lag {
		return fmt.Errorf("a replica that is %v behind: there is one that is %v behind", lag, has.Lag())
	} else if has == nil {
		r.follow(lag)
	}
	return nil
}

// Promote kills Redis and lets its replica take its place, and gives that one a
// replica of its own.
func (f faultWorld) Promote() (string, error) {
	r := f.w.redis
	replica := r.follower()
	switch {
	case replica == nil:
		return "", errNoReplica
	case r.isDown():
		return "", errDown
	}
	n := f.w.hangUp()
	if err := snapshot.ForgetScripts(r.m); err != nil {
		return "", err
	}
	held, loss := replica.Promote(time.Now(), r.shows(), r.state())
	if err := held.Restore(r.m, r.shows()); err != nil {
		return "", fmt.Errorf("promote the replica: %w", err)
	}
	r.follow(replica.Lag())
	r.watch.Replaced()
	return fmt.Sprintf("Redis is dead, %d connections closed; its replica, %v behind, has taken its place: %s", n, replica.Lag(), loss), nil
}

// hangUp ends all connections at Redis's end, as its death does: what it has sent
// still arrives, and after it the end. It returns how many were open.
func (w *world) hangUp() int {
	n := w.redis.cutAll()
	for _, p := range w.clients {
		p.mu.Lock()
		conns := p.conns
		p.conns = nil
		p.mu.Unlock()
		for _, c := range conns {
			_ = c.server.Close()
		}
	}
	return n
}

// cutAll lets no command of a connection of now be carried out any more.
func (s *redisServer) cutAll() (open int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.byID {
		c.cut = true
	}
	return len(s.byPeer)
}

// setDown reports false where it changes nothing.
func (s *redisServer) setDown(down bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.down != down
	s.down = down
	return changed
}

func (s *redisServer) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// shows is the time on Redis's clock.
func (s *redisServer) shows() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock.now()
}

// state is all that Redis holds now.
func (s *redisServer) state() snapshot.State {
	s.tick()
	return snapshot.Take(s.m, s.shows())
}

// follower is Redis's replica, nil if it has none.
func (s *redisServer) follower() *snapshot.Replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replica
}

// follow gives Redis a replica that has all it holds.
func (s *redisServer) follow(lag time.Duration) {
	r := snapshot.NewReplica(lag, time.Now(), s.state())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replica = r
}

// note passes what Redis holds on to its replica, if it has one.
func (s *redisServer) note() {
	if r := s.follower(); r != nil {
		r.Note(time.Now(), s.state())
	}
}

// refused is a connection to a machine on which nothing listens: the answer takes
// as long as there and back.
func refused(ctx context.Context, up, down memnet.End) (net.Conn, error) {
	near, far := memnet.Pipe(up, down)
	b := []byte{0}
	// Errors of either end are the refusal.
	_, _ = near.Write(b)
	_, _ = far.Read(b)
	_ = far.Close()
	_, _ = near.Read(b)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED)
}
