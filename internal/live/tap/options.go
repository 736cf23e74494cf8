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

// Command is a command that can touch the watched key.
type Command struct {
	Name string   // in lower case; "exec" for a transaction
	Args []string // including the name; of a transaction, "EXEC" only
	// Answered: its reply has arrived, so it has been applied. Set for After.
	Answered bool
	// Late: After was called before, when the reply did not arrive in time. What
	// has happened to the key since may be this command's work.
	Late bool
}

// Options say what a tap reports, and to whom. Callbacks come from the goroutines
// of connections, several at once; nil ones are not called. They may do anything
// but call [Tap.Close] or lock Serial.
type Options struct {
	// Key is the watched key. Empty: no command is watched.
	Key string
	// Serial is shared by all taps that watch the same key. It is held from
	// before Before until after After. Nil: the tap has its own.
	Serial *Serializer
	// Before is called before a command that can touch the key is sent to the
	// server, and After when its reply has arrived, its connection has ended, or
	// 2 s have passed. Each Before is followed by one After, or two: see
	// [Command.Late]. A transaction is the one command EXEC. A command that
	// blocks on the server, such as BLPOP, keeps others waiting for 20 ms only.
	Before, After func(client string, c Command)
	// Command is called with the name, in lower case, of every command, before
	// it is sent.
	Command func(client, name string)
	// Strange is called with what should not happen.
	Strange func(err error)
}

// withDefaults replaces nil fields.
func (o Options) withDefaults() Options {
	if o.Serial == nil {
		o.Serial = NewSerializer()
	}
	if o.Before == nil {
		o.Before = func(string, Command) {}
	}
	if o.After == nil {
		o.After = func(string, Command) {}
	}
	if o.Command == nil {
		o.Command = func(string, string) {}
	}
	if o.Strange == nil {
		o.Strange = func(error) {}
	}
	return o
}

// Serializer lets one command at a time touch the key. It is a mutex whose waiters
// can give up.
type Serializer struct{ free chan struct{} }

// NewSerializer returns an unlocked Serializer.
func NewSerializer() *Serializer {
	s := &Serializer{free: make(chan struct{}, 1)}
	s.free <- struct{}{}
	return s
}

// Lock waits until no command that can touch the key is in flight. It must not be
// called from a callback of a [Tap].
func (s *Serializer) Lock() { <-s.free }

// Unlock lets the next command pass.
func (s *Serializer) Unlock() { s.free <- struct{}{} }

// lockUnless is Lock, but returns false if stop closes first.
func (s *Serializer) lockUnless(stop <-chan struct{}) bool {
	select {
	case <-s.free:
		return true
	default:
	}
	select {
	case <-s.free:
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
