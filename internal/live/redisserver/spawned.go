package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/proc"
)

// spawned is a redis-server process in a directory of its own, and on request a
// second process that replicates it.
type spawned struct {
	realServer // admin dials whichever process is the primary

	reaper  *proc.Reaper
	dir     string
	undir   func()       // tells the reaper that dir has been removed
	addr    atomic.Value // string: the primary's
	primary *node
	replica *node // nil if none was asked for
}

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
	s := &spawned{reaper: o.Reaper, dir: dir, undir: o.Reaper.Dir(dir)}
	s.primary = &node{program: program, dir: dir, reaper: o.Reaper}
	if err := s.primary.open(ctx); err != nil {
		_ = s.sweep() // the first error matters more
		return nil, err
	}
	s.version = s.primary.version
	s.addr.Store(s.primary.addr)
	s.admin = redis.NewClient(s.Options())
	return s, nil
}

func (s *spawned) Addr() string { return s.addr.Load().(string) }

// Options dial whichever process is the primary at the time.
func (s *spawned) Options() *redis.Options {
	return quiet(&redis.Options{Addr: s.Addr(), Dialer: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: adminTimeout}).DialContext(ctx, network, s.Addr())
	}})
}

// Stop ends the process. If data is kept, saving and exiting are one step.
func (s *spawned) Stop(ctx context.Context, keepData bool) (proof string, err error) {
	if keepData {
		proof, err = s.primary.save(ctx)
	} else {
		proof = s.primary.kill()
		err = s.primary.forget()
	}
	return fmt.Sprintf("%s, data %s", proof, kept(keepData)), err
}

// Start starts a new process in the directory of the one that ended.
func (s *spawned) Start(ctx context.Context) (proof string, err error) {
	if err := s.primary.start(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("redis-server process %d answers", s.primary.child.Pid()), nil
}

// Replicate starts a second process that follows the first.
func (s *spawned) Replicate(ctx context.Context, lag time.Duration, link Linker) error {
	if s.replica != nil {
		return errReplicated
	}
	dir, err := os.MkdirTemp(s.dir, "replica-")
	if err != nil {
		return err
	}
	r := &node{program: s.primary.program, dir: dir, reaper: s.reaper}
	if err = r.open(ctx); err == nil {
		err = r.follow(ctx, s.primary, lag, link)
	}
	if err != nil {
		r.kill()
		return errors.Join(err, r.unlink())
	}
	s.replica = r
	return nil
}

// Promote kills the primary and makes the replica the primary.
func (s *spawned) Promote(ctx context.Context) (string, error) {
	r := s.replica
	if r == nil {
		return "", ErrNoReplica
	}
	before, err := ask(ctx, r.admin)
	if err != nil {
		return "", err
	}
	if before["master_link_status"] != "up" {
		return "", fmt.Errorf("%w: its link is %s", ErrNoReplica, before["master_link_status"])
	}
	sent, err := ask(ctx, s.primary.admin)
	if err != nil {
		return "", err
	}
	// The link goes first, or data on it would arrive while the primary dies.
	if err := r.unlink(); err != nil {
		return "", err
	}
	dead := s.primary.kill()
	if err := r.admin.ReplicaOf(ctx, "NO", "ONE").Err(); err != nil {
		return "", err
	}
	after, err := ask(ctx, r.admin)
	if err != nil {
		return "", err
	}
	if after["role"] != "master" {
		return "", fmt.Errorf("the replica's role is %q after its promotion", after["role"])
	}
	s.primary, s.replica = r, nil
	s.addr.Store(r.addr)
	return fmt.Sprintf("%s, at replication offset %s; its replica, process %d (%s), master_link_status:%s before, role:%s after, took its place at %s at offset %s",
		dead, sent["master_repl_offset"], r.child.Pid(), r.slow, before["master_link_status"], after["role"], r.addr, before["slave_repl_offset"]), nil
}

// Close kills the processes and removes their directory.
func (s *spawned) Close() error { return errors.Join(s.sweep(), s.admin.Close()) }

func (s *spawned) sweep() (err error) {
	if s.replica != nil {
		s.replica.kill()
		err = s.replica.unlink()
	}
	s.primary.kill()
	if err = errors.Join(err, os.RemoveAll(s.dir)); err == nil {
		s.undir()
	}
	return err
}
