package tap

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/lockchaos/simrun/internal/keyobserver"
)

// pending is a command whose reply is to come.
type pending struct {
	name       string
	subscribes bool     // it is answered by messages of a subscription
	watched    *Command // nil: not a command that can touch the key

	claimed atomic.Bool   // somebody has called After and let the next in, or will
	done    chan struct{} // closed once the reply has been dealt with; nil if unwatched
}

// claim reports whether the caller is the one who ends the turn of the command.
func (p *pending) claim() bool { return p.claimed.CompareAndSwap(false, true) }

// pairing finds the command that a reply belongs to: the oldest that waits.
type pairing struct {
	mu         sync.Mutex
	waiting    []*pending
	subscribed bool // in the second version of the protocol: no replies, only messages
	blind      bool // what passes is not told apart
	over       bool // no reply will come
}

// sent notes that a command is about to be sent. It reports false if no reply
// can come: the connection has ended.
func (q *pairing) sent(p *pending) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return false
	}
	if !q.subscribed && !q.blind {
		q.waiting = append(q.waiting, p)
	}
	return true
}

// inMessages reports whether the connection takes messages of subscriptions only.
func (q *pairing) inMessages() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.subscribed
}

// blindly ends the pairing of commands that are sent from now on.
func (q *pairing) blindly() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.blind = true
}

// reply returns the command that a reply belongs to, nil if it belongs to none,
// which is an error where err is not nil.
func (q *pairing) reply(raw []byte) (*pending, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	confirmed, last := confirms(raw)
	switch {
	case raw[0] == '>': // pushed; it may confirm the oldest
		if confirmed && q.oldestSubscribes() {
			q.pop()
		}
		return nil, nil
	case q.subscribed && raw[0] != '-':
		if confirmed && last {
			q.subscribed = false
			q.waiting = nil
		}
		return nil, nil
	case confirmed && (last || q.oldestSubscribes()):
		if q.oldestSubscribes() {
			q.pop()
		}
		q.subscribed = !last
		return nil, nil
	}
	for raw[0] != '-' && q.oldestSubscribes() {
		q.pop() // confirmed by more pushed messages than were waited for
	}
	if len(q.waiting) > 0 {
		return q.pop(), nil
	}
	if q.blind || q.subscribed {
		return nil, nil
	}
	return nil, ErrUnpaired
}

func (q *pairing) oldestSubscribes() bool { return len(q.waiting) > 0 && q.waiting[0].subscribes }

func (q *pairing) pop() *pending {
	p := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return p
}

// end returns all that still wait: no reply will come.
func (q *pairing) end() []*pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	left := q.waiting
	q.waiting = nil
	return left
}

// subscribing are the commands that are answered by messages.
var subscribing = set("subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe")

// blocking are the commands that may wait long for a key to be filled.
var blocking = set("blpop", "brpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop", "xread", "xreadgroup")

func set(names ...string) map[string]bool {
	s := map[string]bool{}
	for _, n := range names {
		s[n] = true
	}
	return s
}

// blinding reports whether no reply can be paired after the command.
func blinding(name string, args [][]byte) bool {
	switch name {
	case "monitor", "sync", "psync":
		return true
	case "client":
		return len(args) > 1 && bytes.EqualFold(args[1], []byte("reply"))
	}
	return false
}

// transaction follows MULTI and EXEC: commands in between touch nothing yet.
type transaction struct{ open, touches bool }

// applies reports whether the command, when it is applied, can touch the key.
func (x *transaction) applies(name string, args [][]byte, key string) bool {
	touches := keyobserver.Touches(name, args[1:], key)
	switch name {
	case "multi":
		*x = transaction{open: true}
		return false
	case "exec":
		touches = x.open && x.touches // what was queued is known
		*x = transaction{}
		return touches
	case "discard", "reset":
		*x = transaction{}
		return false
	}
	if x.open {
		// WATCH and the like cannot come here; what comes is queued.
		x.touches = x.touches || touches
		return false
	}
	return touches && !subscribing[name]
}
