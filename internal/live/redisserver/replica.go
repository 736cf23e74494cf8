package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Link is a replica's way to its primary, which can be made slow: what is on it
// when the primary dies never arrives in time.
type Link interface {
	// Addr is where the replica connects to.
	Addr() string
	// Delay holds up what the primary sends by lag, and says how that was seen.
	Delay(lag time.Duration) (proof string, err error)
	Close() error
}

// Replication is a replica that is asked for.
type Replication struct {
	// Lag is how far behind the replica is, in time.Now's time.
	Lag time.Duration
	// Link makes the way to the primary at upstream. An embedded server, which
	// has no process for a replica, does not call it.
	Link func(upstream string) (Link, error)
}

// replica is a second process that follows the first.
type replica struct {
	*node
	link  Link
	asked Replication
	proof string // that the link is slow
}

// Replicate starts a second process that follows the first, and returns when it
// has caught up and its link has been made slow.
func (s *spawned) Replicate(ctx context.Context, asked Replication) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.usable()
	if err == nil {
		err = s.follow(ctx, asked)
	}
	if err != nil {
		return fmt.Errorf("replicate %s: %w", s.version, err)
	}
	s.o.log("replica of %s on %s, process %d: %s", s.version, s.replica.addr, s.replica.child.Pid(), s.replica.proof)
	return nil
}

func (s *spawned) follow(ctx context.Context, asked Replication) error {
	if s.replica != nil {
		return errors.New("it has a replica")
	}
	s.nodes++
	dir := filepath.Join(s.dir, "replica-"+strconv.Itoa(s.nodes))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	r := &replica{node: &node{program: s.primary.program, dir: dir, reaper: s.o.Reaper}, asked: asked}
	err := r.open(ctx, "0")
	if err == nil {
		err = r.join(ctx, s.primary)
	}
	if err != nil {
		return errors.Join(err, r.close())
	}
	s.replica = r
	return nil
}

// join lets the replica follow the primary.
func (r *replica) join(ctx context.Context, primary *node) error {
	// If absent, it waits for more replicas to come before it sends its data.
	if err := primary.admin.ConfigSet(ctx, "repl-diskless-sync-delay", "0").Err(); err != nil {
		return err
	}
	var err error
	if r.link, err = r.asked.Link(primary.addr); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(r.link.Addr())
	if err != nil {
		return err
	}
	if err := r.replicaOf(ctx, host, port); err != nil {
		return err
	}
	if err := r.awaitUp(ctx); err != nil {
		return err
	}
	r.proof, err = r.link.Delay(r.asked.Lag)
	return err
}

// replicaOf makes the node a replica of another, or of "no", "one".
func (n *node) replicaOf(ctx context.Context, host, port string) error {
	return n.admin.ReplicaOf(ctx, host, port).Err()
}

// awaitUp waits until the replica has caught up.
func (r *replica) awaitUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		about, err := r.ask(ctx, "replication")
		if err == nil && about["master_link_status"] == "up" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the replica does not catch up: %s: %w", about["master_link_status"], ctx.Err())
		case <-again.C:
		}
	}
}

func (r *replica) close() error {
	r.end()
	if r.link != nil {
		return r.link.Close()
	}
	return nil
}

// Promote kills the primary and lets the replica take its place, and its address.
func (s *spawned) Promote(ctx context.Context) (proof string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.usable(); err == nil && s.replica == nil {
		err = ErrNoReplica
	}
	if err == nil {
		proof, err = s.promote(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("promote the replica of %s: %w", s.version, err)
	}
	s.o.log("%s", proof)
	return proof, nil
}

func (s *spawned) promote(ctx context.Context) (string, error) {
	r := s.replica
	before, err := r.ask(ctx, "replication")
	if err != nil {
		return "", err
	}
	if before["master_link_status"] != "up" {
		return "", fmt.Errorf("%w: its link is %s", ErrNoReplica, before["master_link_status"])
	}
	sent, err := s.primary.ask(ctx, "replication")
	if err != nil {
		return "", err
	}
	// First the link, or what is on it would arrive while the primary dies.
	if err := r.link.Close(); err != nil {
		return "", err
	}
	dead := s.primary.kill()
	if err := r.replicaOf(ctx, "NO", "ONE"); err != nil {
		return "", err
	}
	after, err := r.ask(ctx, "replication")
	if err != nil {
		return "", err
	}
	if after["role"] != "master" {
		return "", fmt.Errorf("the replica's role is %q after its promotion", after["role"])
	}
	s.primary, s.replica = r.node, nil
	if err := s.point(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, at replication offset %s; its replica, process %d (%s), master_link_status:%s before, role:%s after, took its place at %s at offset %s",
		dead, sent["master_repl_offset"], r.child.Pid(), r.proof, before["master_link_status"], after["role"], s.addr, before["slave_repl_offset"]), nil
}

// point leads who connects to the server's address to the process that is the
// primary now. The first time, the address is the dead process's own.
func (s *spawned) point() (err error) {
	if s.front == nil {
		s.front, err = openFront(s.addr, s.primary.addr)
		return err
	}
	s.front.turn(s.primary.addr)
	return nil
}
