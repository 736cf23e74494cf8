package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/proc"
)

// node is one redis-server process: a primary or a replica.
type node struct {
	program string
	dir     string // its working directory, with its data
	addr    string // where it listens
	reaper  *proc.Reaper

	child   *proc.Child
	admin   *redis.Client // of this process; closed when it ends
	version string

	link Link   // to its primary; nil if it is one
	slow string // the proof that the link is slow
}

const (
	// attempts is how many free ports are tried: one that was free a moment ago
	// may be taken.
	attempts = 5
	// startTimeout bounds how long a redis-server may take to answer, and a
	// replica to catch up.
	startTimeout = 10 * time.Second
	// pollInterval is the time between two looks at a server that is starting.
	pollInterval = 5 * time.Millisecond
)

// open starts the process on a free port of the loopback interface.
func (n *node) open(ctx context.Context) (err error) {
	for range attempts {
		l, listenErr := net.Listen("tcp", "127.0.0.1:0")
		if listenErr != nil {
			return fmt.Errorf("%w: %w", ErrServerStart, listenErr)
		}
		n.addr = l.Addr().String()
		_ = l.Close() // it has no connections
		if err = n.start(ctx); !errors.Is(err, ErrServerPort) {
			return err
		}
	}
	return err
}

// start starts the process at its address and waits until it answers.
func (n *node) start(ctx context.Context) error {
	_, port, err := net.SplitHostPort(n.addr)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrServerStart, err)
	}
	c, err := proc.Start(context.Background(), exec.Command(n.program,
		"--port", port, "--bind", "127.0.0.1", "--dir", n.dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no"), proc.Options{Reaper: n.reaper})
	if err != nil {
		return fmt.Errorf("%w: %s", ErrServerStart, oneLine(err))
	}
	n.child = c
	admin := dialOnce(*quiet(&redis.Options{Addr: n.addr}))
	n.admin = admin
	go func() { // ends a wait for an answer from whoever else has the port
		<-c.Done()
		_ = admin.Close() // its server has ended
	}()
	if err := n.awaitAnswer(ctx); err != nil {
		n.kill()
		return err
	}
	return nil
}

// awaitAnswer waits until the process answers.
func (n *node) awaitAnswer(ctx context.Context) error {
	var err error
	late := n.poll(ctx, func(ctx context.Context) bool {
		err = n.check(ctx)
		return err == nil || errors.Is(err, ErrServerOld)
	})
	switch {
	case late == nil:
		return err
	case n.child.Ended() == nil:
		return fmt.Errorf("%w: no answer: %s: %w", ErrServerStart, oneLine(err), late)
	case strings.Contains(n.child.Log().String(), "Address already in use"):
		return fmt.Errorf("%w: %s", ErrServerPort, n.addr)
	default:
		return fmt.Errorf("%w: %w", ErrServerStart, n.child.Exit())
	}
}

// poll waits until done returns true. It fails if the process ends or time is up.
func (n *node) poll(ctx context.Context, done func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	again := time.NewTicker(pollInterval)
	defer again.Stop()
	for !done(ctx) {
		select {
		case <-again.C:
		case <-n.child.Done():
			return n.child.Exit()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// check returns nil if it is this process that answers at the address, and its
// version is supported: another program may have taken the port.
func (n *node) check(ctx context.Context) error {
	if err := checkListening(ctx, n.addr); err != nil {
		return err
	}
	got, err := n.admin.ConfigGet(ctx, "dir").Result()
	if err != nil {
		return err
	}
	theirs, err := os.Stat(got["dir"])
	if err != nil {
		return err
	}
	if ours, err := os.Stat(n.dir); err != nil || !os.SameFile(ours, theirs) {
		return errors.New("another server answers")
	}
	about, err := ask(ctx, n.admin)
	if err != nil {
		return err
	}
	n.version = about.product()
	return about.checkVersion(n.addr)
}

// kill kills the process if it has started, and reports how it ended.
func (n *node) kill() (proof string) {
	if n.child == nil {
		return ""
	}
	_, _ = n.child.Kill() // an error is that it has ended
	return fmt.Sprintf("redis-server process %d: %s", n.child.Pid(), n.child.Exit().Status)
}

// save has the server write its data and exit, with no command in between.
func (n *node) save(ctx context.Context) (proof string, err error) {
	refused := n.admin.ShutdownSave(ctx).Err()
	timeout := time.NewTimer(adminTimeout)
	defer timeout.Stop()
	select {
	case <-n.child.Done():
		return fmt.Sprintf("redis-server process %d: told to save and end: %s", n.child.Pid(), n.child.Exit().Status), nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-timeout.C:
		return "", fmt.Errorf("it does not end when told to save and end: %s", fmt.Sprint(refused))
	}
}

// forget removes the data of a process that has ended.
func (n *node) forget() error { return os.RemoveAll(filepath.Join(n.dir, "dump.rdb")) }

// follow makes the process a replica of a primary, and returns once it has caught up
// and its link has been made slow.
func (n *node) follow(ctx context.Context, primary *node, lag time.Duration, link Linker) error {
	// By default a primary waits for further replicas before it sends its data.
	if err := primary.admin.ConfigSet(ctx, "repl-diskless-sync-delay", "0").Err(); err != nil {
		return err
	}
	made, err := link(primary.addr)
	if err != nil {
		return err
	}
	n.link = made
	host, port, err := net.SplitHostPort(made.Addr())
	if err != nil {
		return err
	}
	if err := n.admin.ReplicaOf(ctx, host, port).Err(); err != nil {
		return err
	}
	status := ""
	if err := n.poll(ctx, func(ctx context.Context) bool {
		about, _ := ask(ctx, n.admin) // asked again after an error
		status = about["master_link_status"]
		return status == "up"
	}); err != nil {
		return fmt.Errorf("the replica does not catch up: %s: %w", status, err)
	}
	n.slow, err = made.Delay(lag)
	return err
}

// unlink removes the link, so that nothing more arrives from the primary.
func (n *node) unlink() error {
	if n.link == nil {
		return nil
	}
	defer func() { n.link = nil }()
	return n.link.Close()
}
