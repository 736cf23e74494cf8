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

// node is one redis-server process of ours: a primary or its replica.
type node struct {
	program string
	dir     string // its working directory, with its data
	addr    string // at which it listens
	reaper  *proc.Reaper

	child   *proc.Child
	admin   *redis.Client // of this very process, which is there as long as it is
	version string
}

// options are for a connection to this very process.
func (n *node) options() *redis.Options { return quiet(&redis.Options{Addr: n.addr}) }

// bind chooses the port; 0 is a free one.
func (n *node) bind(port string) error {
	addr := net.JoinHostPort("127.0.0.1", port)
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrServerPort, addr)
	}
	n.addr = l.Addr().String()
	return l.Close()
}

// open chooses a port and starts the process there. Another free port is tried
// where one that was free a moment ago is not.
func (n *node) open(ctx context.Context, port string) (err error) {
	for range attempts {
		if err = n.bind(port); err == nil {
			err = n.start(ctx)
		}
		if port != "0" || !errors.Is(err, ErrServerPort) {
			break
		}
	}
	return err
}

// start starts the process on the chosen port and waits until it answers.
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
	if err := n.ready(ctx); err != nil {
		_, _ = c.Kill() // an error is that it has ended
		return err
	}
	n.admin = redis.NewClient(once(n.options()))
	return nil
}

// startTimeout bounds how long a redis-server may take to answer.
const startTimeout = 10 * time.Second

// ready waits until the process answers, or has ended, or time is up.
func (n *node) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	rdb := redis.NewClient(once(n.options()))
	defer func() { _ = rdb.Close() }()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		err := n.answers(ctx, rdb)
		if err == nil || errors.Is(err, ErrServerOld) {
			return err
		}
		select {
		case <-n.child.Done():
			said := n.child.Log().LastLine()
			if strings.Contains(n.child.Log().String(), "Address already in use") {
				return fmt.Errorf("%w: %s", ErrServerPort, n.addr)
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
func (n *node) answers(ctx context.Context, rdb *redis.Client) error {
	if err := listens(ctx, n.addr); err != nil {
		return err
	}
	if err := rdb.Ping(ctx).Err(); err != nil {
		return err
	}
	got, err := rdb.ConfigGet(ctx, "dir").Result()
	if err != nil {
		return err
	}
	if !same(got["dir"], n.dir) {
		return errors.New("a stranger answers")
	}
	about, err := ask(ctx, rdb, "server")
	if err != nil {
		return err
	}
	n.version = about.product()
	return about.fit(n.addr)
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

// kill ends the process at once, and says how it ended.
func (n *node) kill() (proof string) {
	_, _ = n.child.Kill() // an error is that it has ended
	n.leave()
	return fmt.Sprintf("redis-server process %d: %s", n.child.Pid(), n.child.Exit().Status)
}

// leave closes our connection to a process that has ended.
func (n *node) leave() {
	if n.admin != nil {
		_ = n.admin.Close() // there is nobody to close it with
	}
}

// end kills a process that may not have started, or not for good.
func (n *node) end() {
	if n.child != nil {
		_, _ = n.child.Kill() // an error is that it has ended
		n.leave()
	}
}

// save lets the server write its data and end: no command gets in between.
func (n *node) save(ctx context.Context) (proof string, err error) {
	refused := n.admin.ShutdownSave(ctx).Err()
	timeout := time.NewTimer(adminTimeout)
	defer timeout.Stop()
	select {
	case <-n.child.Done():
		n.leave()
		return fmt.Sprintf("redis-server process %d: told to save and end: %s", n.child.Pid(), n.child.Exit().Status), nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-timeout.C:
		return "", fmt.Errorf("it does not end when told to save and end: %v", refused)
	}
}

// forget removes the data of a process that has ended.
func (n *node) forget() error {
	err := os.Remove(filepath.Join(n.dir, "dump.rdb"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// ask reads a section of the process's INFO.
func (n *node) ask(ctx context.Context, section string) (info, error) {
	return ask(ctx, n.admin, section)
}
