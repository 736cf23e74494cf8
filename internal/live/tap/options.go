package tap

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors given to [Options.Strange], beside [ErrMalformed].
var (
	// ErrUnpaired: a reply arrived with no command in flight.
	ErrUnpaired = errors.New("a reply without a command")
	// ErrUnseen: a connection entered a mode in which commands and replies cannot
	// be told apart. Its later commands pass unseen.
	ErrUnseen = errors.New("later commands pass unseen")
	// ErrNoReply: a command that can touch the key got no reply in time.
	ErrNoReply = errors.New("no reply in time")
	// ErrUpstream: the server accepts no connection.
	ErrUpstream = errors.New("no connection to the server")
)

const (
	// replyTimeout bounds how long a command that can touch the key keeps other
	// such commands waiting, and how long a connection to the server may take.
	replyTimeout = 2 * time.Second
	// blockingTimeout is the same for a command that may block on the server.
	blockingTimeout = 20 * time.Millisecond
)

// Options say what a tap reports, and to whom. Callbacks come from the goroutines
// of connections, several at once. They may do anything but call [Tap.Close] or
// lock Serial. All fields but Key must be set.
type Options struct {
	// Key is the watched key. Empty: no command is watched.
	Key string
	// Serial is shared by all taps that watch the same key. It is held from
	// before Before until after After.
	Serial Serializer
	// Before is called before a command that can touch the key is sent to the
	// server, and After when its reply has arrived, its connection has ended, or
	// 2 s have passed. If the reply arrives later, After is called again: what has
	// happened to the key since may be this command's work. A transaction is the
	// one command exec. A command that blocks on the server, such as blpop, keeps
	// others waiting for 20 ms only.
	Before, After func(client, name string)
	// Command is called with the name, in lower case, of every command, before
	// it is sent.
	Command func(client, name string)
	// Strange is called with what should not happen.
	Strange func(err error)
}

// Serializer lets one command at a time touch the key. It is a mutex whose waiters
// can give up: a channel with room for one element, which is there while it is locked.
type Serializer chan struct{}

// NewSerializer returns an unlocked Serializer.
func NewSerializer() Serializer { return make(Serializer, 1) }

// Lock waits until no command that can touch the key is in flight. It must not be
// called from a callback of a [Tap].
func (s Serializer) Lock() { s <- struct{}{} }

// Unlock lets the next command pass.
func (s Serializer) Unlock() { <-s }

// lockUnless is Lock, but returns false if stop closes first.
func (s Serializer) lockUnless(stop <-chan struct{}) bool {
	select {
	case s <- struct{}{}:
		return true
	case <-stop:
		return false
	}
}

// path is what the connections of one client share.
type path struct {
	client string
	o      Options
	ctx    context.Context // ends with the tap

	lossMu sync.Mutex
	losses []func(proof string) // called for the replies that are to be lost
}

func (p *path) strange(err error) { p.o.Strange(fmt.Errorf("client %s: %w", p.client, err)) }

// takeLoss returns the function to call if a reply is to be lost, or nil.
func (p *path) takeLoss() func(proof string) {
	p.lossMu.Lock()
	defer p.lossMu.Unlock()
	if len(p.losses) == 0 {
		return nil
	}
	fired := p.losses[0]
	p.losses = p.losses[1:]
	return fired
}
