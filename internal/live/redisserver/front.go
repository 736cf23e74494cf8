package redisserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// front takes connections at the address of a server that is no more and leads
// them to the one that took its place, as HAProxy or a floating address does.
type front struct {
	l   net.Listener
	all sync.WaitGroup

	mu     sync.Mutex
	target string
	conns  map[net.Conn]bool // both ends of each; nil once closed
}

const (
	// The dead server's address is free as soon as the system says so.
	frontTries = 200
	frontPause = 5 * time.Millisecond
)

func openFront(addr, target string) (*front, error) {
	var l net.Listener
	var err error
	for range frontTries {
		if l, err = net.Listen("tcp", addr); err == nil {
			break
		}
		time.Sleep(frontPause)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrServerPort, addr)
	}
	f := &front{l: l, target: target, conns: map[net.Conn]bool{}}
	f.all.Go(f.admit)
	return f, nil
}

// turn cuts all connections and leads new ones to target.
func (f *front) turn(target string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.target = target
	f.cut()
}

// cut ends all connections. The mutex is held.
func (f *front) cut() {
	for c := range f.conns {
		_ = c.Close() // it may have ended already
	}
	clear(f.conns)
}

func (f *front) close() error {
	err := f.l.Close()
	f.mu.Lock()
	f.cut()
	f.conns = nil
	f.mu.Unlock()
	f.all.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (f *front) admit() {
	for {
		c, err := f.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors: some may be closed soon
			time.Sleep(frontPause)
			continue
		}
		f.all.Go(func() { f.lead(c) })
	}
}

// lead joins a connection to the target until either ends it.
func (f *front) lead(client net.Conn) {
	defer func() { _ = client.Close() }()
	f.mu.Lock()
	target := f.target
	f.mu.Unlock()
	server, err := net.DialTimeout("tcp", target, adminTimeout)
	if err != nil {
		return // the client sees the end
	}
	defer func() { _ = server.Close() }()
	f.mu.Lock()
	stale := f.conns == nil || f.target != target
	if !stale {
		f.conns[client], f.conns[server] = true, true
	}
	f.mu.Unlock()
	if stale {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { pass(client, server) })
	both.Go(func() { pass(server, client) })
	both.Wait()
	f.mu.Lock()
	delete(f.conns, client)
	delete(f.conns, server)
	f.mu.Unlock()
}

// pass moves bytes until there are no more, and then ends both.
func pass(from, to net.Conn) {
	_, _ = io.Copy(to, from) // its error is the end of either
	_ = from.Close()
	_ = to.Close()
}
