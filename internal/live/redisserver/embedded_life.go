package redisserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockchaos/simrun/internal/snapshot"
)

// usable says why there is no server. The mutex of its life is held.
func (s *embedded) usable() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.down:
		return ErrDown
	}
	return nil
}

// Stop shuts the server.
func (s *embedded) Stop(_ context.Context, keepData bool) (proof string, err error) {
	s.life.Lock()
	defer s.life.Unlock()
	if err = s.usable(); err == nil {
		err = s.die()
	}
	if err != nil {
		return "", fmt.Errorf("stop miniredis: %w", err)
	}
	s.down = true
	s.tick()
	keys := len(s.m.Keys())
	if !keepData {
		s.m.FlushAll()
		s.note()
	}
	return fmt.Sprintf("miniredis has left %s, its %d keys %s", s.addr, keys, kept(keepData)), nil
}

// die ends the server with its connections, and all that Redis keeps in memory
// alone. The mutex of its life is held.
func (s *embedded) die() error {
	if err := snapshot.ForgetScripts(s.m); err != nil {
		return err
	}
	return s.shut()
}

// Start opens the server again.
func (s *embedded) Start(context.Context) (proof string, err error) {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed {
		return "", fmt.Errorf("start miniredis: %w", ErrClosed)
	}
	if err := s.revive(); err != nil {
		return "", fmt.Errorf("start miniredis: %w", err)
	}
	s.down = false
	return "miniredis is back at " + s.addr, nil
}

// revive opens a server that has died. The mutex of its life is held.
func (s *embedded) revive() error {
	// Close has ended for good what commands that wait are bound to.
	s.m.Ctx, s.m.CtxCancel = context.WithCancel(context.Background())
	return s.open(s.addr)
}

// Replicate keeps what a replica would hold; there is no second server.
func (s *embedded) Replicate(_ context.Context, asked Replication) error {
	s.life.Lock()
	defer s.life.Unlock()
	err := s.usable()
	if err == nil && s.replica.Load() != nil {
		err = errors.New("it has a replica")
	}
	if err != nil {
		return fmt.Errorf("replicate miniredis: %w", err)
	}
	s.follow(asked.Lag)
	return nil
}

func (s *embedded) follow(lag time.Duration) {
	_, state := s.state()
	s.replica.Store(snapshot.NewReplica(lag, time.Now(), state))
}

// state is what the server holds, and what its clock shows.
func (s *embedded) state() (time.Time, snapshot.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.at(time.Now())
	s.m.SetTime(now)
	return now, snapshot.Take(s.m, now)
}

// note passes what the server holds on to its replica, if it has one.
func (s *embedded) note() {
	if r := s.replica.Load(); r != nil {
		_, state := s.state()
		r.Note(time.Now(), state)
	}
}

// Promote shuts the server and opens it with what its replica held.
func (s *embedded) Promote(context.Context) (proof string, err error) {
	s.life.Lock()
	defer s.life.Unlock()
	if err = s.usable(); err == nil && s.replica.Load() == nil {
		err = ErrNoReplica
	}
	if err == nil {
		proof, err = s.promote()
	}
	if err != nil {
		return "", fmt.Errorf("promote the replica of miniredis: %w", err)
	}
	s.o.log("%s", proof)
	return proof, nil
}

func (s *embedded) promote() (proof string, err error) {
	replica := s.replica.Swap(nil)
	if err := s.die(); err != nil {
		return "", err
	}
	clock, last := s.state()
	held, loss := replica.Promote(time.Now(), clock, last)
	if err := held.Restore(s.m, clock); err != nil {
		return "", err
	}
	if err := s.revive(); err != nil {
		return "", err
	}
	return fmt.Sprintf("miniredis has left %s, and its replica, %v behind, has taken its place: %s", s.addr, replica.Lag(), loss), nil
}
