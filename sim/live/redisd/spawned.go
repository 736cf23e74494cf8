package redisd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// spawned is a redis-server process of ours in a directory of ours.
type spawned struct {
	o       Options
	program string
	dir     string
	undir   func() // tells the janitor that dir is gone
	addr    string
	admin   *redis.Client
	version string

	mu     sync.Mutex // of what starts and ends the process
	child  *child
	closed bool
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
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServerStart, err)
	}
	s := &spawned{o: o, program: program, dir: dir, undir: o.Janitor.Dir(dir)}
	for range attempts {
		if err = s.bind(); err == nil {
			err = s.start(ctx)
		}
		if o.Port != 0 || !errors.Is(err, ErrServerPort) {
			break
		}
	}
	if err != nil {
		s.sweep()
		return nil, err
	}
	o.log("%s on %s, process %d", s.version, s.addr, s.child.pid)
	return s, nil
}

// bind chooses the port.
func (s *spawned) bind() error {
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.o.Port))
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrServerPort, addr)
	}
	s.addr = l.Addr().String()
	return l.Close()
}

// start starts the process on the chosen port and waits until it answers.
func (s *spawned) start(ctx context.Context) error {
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrServerStart, err)
	}
	c, err := startChild(s.o.Janitor, s.program,
		"--port", port, "--bind", "127.0.0.1", "--dir", s.dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no")
	if err != nil {
		return fmt.Errorf("%w: %s", ErrServerStart, oneLine(err))
	}
	s.child = c
	if err := s.ready(ctx); err != nil {
		c.kill()
		return err
	}
	if s.admin == nil {
		s.admin = redis.NewClient(s.Options())
	}
	return nil
}

// startTimeout bounds how long a redis-server may take to answer.
const startTimeout = 10 * time.Second

// ready waits until the process answers, or has ended, or time is up.
func (s *spawned) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	rdb := redis.NewClient(once(s.Options()))
	defer func() { _ = rdb.Close() }()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		err := s.answers(ctx, rdb)
		if err == nil || errors.Is(err, ErrServerOld) {
			return err
		}
		select {
		case <-s.child.ended:
			said := s.child.log.last()
			if strings.Contains(s.child.log.String(), "Address already in use") {
				return fmt.Errorf("%w: %s", ErrServerPort, s.addr)
			}
			return fmt.Errorf("%w: it ended and said: %s", ErrServerStart, said)
		case <-ctx.Done():
			return fmt.Errorf("%w: no answer: %s: %w", ErrServerStart, oneLine(err), ctx.Err())
		case <-again.C:
		}
	}
}

// answers reports whether what answers at the address is our process, and fit:
// a stranger may have taken the port since it was found free.
func (s *spawned) answers(ctx context.Context, rdb *redis.Client) error {
	if err := listens(ctx, s.addr); err != nil {
		return err
	}
	if err := rdb.Ping(ctx).Err(); err != nil {
		return err
	}
	got, err := rdb.ConfigGet(ctx, "dir").Result()
	if err != nil {
		return err
	}
	if !same(got["dir"], s.dir) {
		return errors.New("a stranger answers")
	}
	about, err := ask(ctx, rdb, "server")
	if err != nil {
		return err
	}
	s.version = about.product()
	return about.fit(s.addr)
}

// same reports whether two paths lead to one directory.
func same(a, b string) bool {
	ia, err := os.Stat(a)
	if err != nil {
		return false
	}
	ib, err := os.Stat(b)
	return err == nil && os.SameFile(ia, ib)
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

// Restart ends the process, in one step with saving its data where that is
// kept, and starts another in the same directory.
func (s *spawned) Restart(ctx context.Context, keepData bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("restart %s: %w", s.version, ErrClosed)
	}
	dump := filepath.Join(s.dir, "dump.rdb")
	if keepData {
		if err := s.saveAndEnd(ctx); err != nil {
			return fmt.Errorf("restart %s: %w", s.version, err)
		}
	} else {
		s.child.kill()
		if err := os.Remove(dump); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("restart %s: %w", s.version, err)
		}
	}
	if err := s.start(ctx); err != nil {
		return fmt.Errorf("restart %s: %w", s.version, err)
	}
	s.o.log("%s restarted, data %s, process %d", s.version, kept(keepData), s.child.pid)
	return nil
}

// saveAndEnd lets the server write its data and end: no command gets in between.
func (s *spawned) saveAndEnd(ctx context.Context) error {
	rdb := redis.NewClient(once(s.Options()))
	defer func() { _ = rdb.Close() }()
	refused := rdb.ShutdownSave(ctx).Err()
	timeout := time.NewTimer(adminTimeout)
	defer timeout.Stop()
	select {
	case <-s.child.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return fmt.Errorf("it does not end when told to save and end: %v", refused)
	}
}

// Close kills the process and removes its directory.
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
	if s.child != nil {
		s.child.kill()
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	s.undir()
	return nil
}
