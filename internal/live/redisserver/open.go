package redisserver

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Open opens the server that spec names: "miniredis", "redis-server",
// "host:port" or "redis://:password@host:port". ctx bounds the opening only. Its
// errors are one line each and can be told apart: see [ErrSpec] and the others.
func Open(ctx context.Context, spec string, o Options) (s Server, err error) {
	switch spec {
	case Miniredis:
		s, err = openEmbedded()
	case RedisServer:
		s, err = openSpawned(ctx, o)
	default:
		s, err = openExternal(ctx, spec, o)
	}
	if err != nil {
		return nil, err
	}
	return &lifecycle{Server: s}, nil
}

// lifecycle lets one call at a time change a server, and none that its state forbids.
type lifecycle struct {
	Server

	mu           sync.Mutex // held while the server changes
	down, closed bool
}

// change calls do unless the server is closed, or is down and has to be up for it.
func (s *lifecycle) change(what string, up bool, do func() (string, error)) (proof string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		err = ErrClosed
	case up && s.down:
		err = ErrDown
	default:
		proof, err = do()
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", what, s.Version(), err)
	}
	return proof, nil
}

func (s *lifecycle) Stop(ctx context.Context, keepData bool) (proof string, err error) {
	return s.change("stop", true, func() (string, error) {
		proof, err := s.Server.Stop(ctx, keepData)
		s.down = err == nil
		return proof, err
	})
}

func (s *lifecycle) Start(ctx context.Context) (proof string, err error) {
	return s.change("start", false, func() (string, error) {
		proof, err := s.Server.Start(ctx)
		s.down = s.down && err != nil
		return proof, err
	})
}

func (s *lifecycle) Replicate(ctx context.Context, lag time.Duration, link Linker) error {
	_, err := s.change("replicate", true, func() (string, error) { return "", s.Server.Replicate(ctx, lag, link) })
	return err
}

func (s *lifecycle) Promote(ctx context.Context) (proof string, err error) {
	return s.change("promote the replica of", true, func() (string, error) { return s.Server.Promote(ctx) })
}

// Close ends the server. A second call does nothing.
func (s *lifecycle) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if err := s.Server.Close(); err != nil {
		return fmt.Errorf("close %s: %w", s.Version(), err)
	}
	return nil
}
