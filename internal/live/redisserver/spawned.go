package redisserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// spawned is a redis-server process of ours in a directory of ours, with a second
// one that replicates it where that is asked for.
type spawned struct {
	o       Options
	dir     string
	undir   func() // tells the reaper that dir is gone
	addr    string // at which clients find whichever process is the primary
	admin   *redis.Client
	version string

	mu      sync.Mutex // of what starts and ends processes
	primary *node
	replica *replica // nil: none was asked for
	front   *front   // nil until a replica was promoted
	nodes   int      // that were ever opened
	down    bool
	closed  bool
}

// attempts is how often another free port is tried, since one that was free a
// moment ago need not be.
const attempts = 5

func openSpawned(ctx context.Context, o Options) (Server, error) {
	program, err := exec.LookPath(RedisServer)
	if err != nil {
		return nil, fmt.Errorf("%w: install it, or do without it: -redis miniredis", ErrServerMissing)
	}
	dir, err := os.MkdirTemp("", "simrun-redis-")
	if err == nil { // $TMPDIR may be relative
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServerStart, err)
	}
	s := &spawned{o: o, dir: dir, undir: o.Reaper.Dir(dir)}
	s.primary = &node{program: program, dir: dir, reaper: o.Reaper}
	if err := s.primary.open(ctx, strconv.Itoa(o.Port)); err != nil {
		_ = s.sweep() // why it did not start says more
		return nil, err
	}
	s.addr, s.version = s.primary.addr, s.primary.version
	s.admin = redis.NewClient(s.Options())
	o.log("%s on %s, process %d", s.version, s.addr, s.primary.child.Pid())
	return s, nil
}

func (s *spawned) Addr() string            { return s.addr }
func (s *spawned) Version() string         { return s.version }
func (s *spawned) Prefix() string          { return s.o.Prefix }
func (s *spawned) Options() *redis.Options { return quiet(&redis.Options{Addr: s.addr}) }

// JumpClock moves the expiry of our keys.
func (s *spawned) JumpClock(ctx context.Context, d time.Duration) (string, error) {
	return shift(ctx, s.admin, s.o.Prefix, d)
}

// SetRate is not supported: a real server's clock is the machine's.
func (s *spawned) SetRate(float64) (func(), string, error) { return noRate(s) }

// Stop ends the process, in one step with saving its data where that is kept.
func (s *spawned) Stop(ctx context.Context, keepData bool) (proof string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return "", fmt.Errorf("stop %s: %w", s.version, err)
	}
	if keepData {
		proof, err = s.primary.save(ctx)
	} else {
		proof = s.primary.kill()
		err = s.primary.forget()
	}
	if err != nil {
		return "", fmt.Errorf("stop %s: %w", s.version, err)
	}
	s.down = true
	return fmt.Sprintf("%s, data %s", proof, kept(keepData)), nil
}

// usable says why there is no server. The mutex is held.
func (s *spawned) usable() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.down:
		return ErrDown
	}
	return nil
}

// Start starts a process in the directory of the one that ended.
func (s *spawned) Start(ctx context.Context) (proof string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", fmt.Errorf("start %s: %w", s.version, ErrClosed)
	}
	if err := s.primary.start(ctx); err != nil {
		return "", fmt.Errorf("start %s: %w", s.version, err)
	}
	s.down = false
	s.o.log("%s is back, process %d", s.version, s.primary.child.Pid())
	return fmt.Sprintf("redis-server process %d answers", s.primary.child.Pid()), nil
}

// Close kills the processes and removes their directory.
func (s *spawned) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if err := errors.Join(s.sweep(), s.admin.Close()); err != nil {
		return fmt.Errorf("close %s: %w", s.version, err)
	}
	return nil
}

func (s *spawned) sweep() error {
	var errs []error
	if s.front != nil {
		errs = append(errs, s.front.close())
	}
	if s.replica != nil {
		errs = append(errs, s.replica.close())
	}
	s.primary.end()
	if err := errors.Join(append(errs, os.RemoveAll(s.dir))...); err != nil {
		return err
	}
	s.undir()
	return nil
}
