package tap

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lockchaos/simrun/internal/keyobserver"
)

// inflight is a command that waits for its reply.
type inflight struct {
	name    string
	claimed atomic.Bool   // After has been or is about to be called
	done    chan struct{} // closed once the reply has been handled; nil if it cannot touch the key
}

// claim reports whether it is the caller that must call After and unlock the
// serializer.
func (p *inflight) claim() bool { return p.claimed.CompareAndSwap(false, true) }

// pairing finds the command that a reply belongs to: the oldest in flight.
type pairing struct {
	mu         sync.Mutex
	waiting    []*inflight
	subscribed bool // RESP2 only: messages arrive instead of replies
	unpaired   bool // commands and replies can no longer be told apart
	over       bool // no more replies will arrive
}

// sent notes that a command is about to be sent. It returns false if no reply can
// arrive because the connection has ended.
func (q *pairing) sent(p *inflight) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return false
	}
	if !q.subscribed && !q.unpaired {
		q.waiting = append(q.waiting, p)
	}
	return true
}

// inMessages reports whether only messages of subscriptions arrive.
func (q *pairing) inMessages() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.subscribed
}

// giveUp stops pairing the commands that are sent from now on.
func (q *pairing) giveUp() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unpaired = true
}

// reply returns the command that a reply belongs to, or nil. If there should be one,
// that is an error.
func (q *pairing) reply(raw []byte) (*inflight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	confirmed, last := confirms(raw)
	switch {
	case raw[0] == '>': // a push message, which may confirm the oldest
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
		q.pop() // confirmed by more messages than expected
	}
	if len(q.waiting) > 0 {
		return q.pop(), nil
	}
	if q.unpaired || q.subscribed {
		return nil, nil
	}
	return nil, ErrUnpaired
}

func (q *pairing) oldestSubscribes() bool {
	return len(q.waiting) > 0 && slices.Contains(subscribing, q.waiting[0].name)
}

func (q *pairing) pop() *inflight {
	p := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return p
}

// end returns the commands still in flight: no more replies will arrive.
func (q *pairing) end() []*inflight {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	left := q.waiting
	q.waiting = nil
	return left
}

// subscribing are the commands that are answered by messages of a subscription.
var subscribing = []string{"subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"}

// blocking are the commands that may wait on the server until a key is filled.
var blocking = []string{"blpop", "brpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop", "xread", "xreadgroup"}

// endsPairing reports whether replies cannot be paired after the command.
func endsPairing(name string, args []string) bool {
	switch name {
	case "monitor", "sync", "psync":
		return true
	case "client":
		return len(args) > 1 && strings.EqualFold(args[1], "reply")
	}
	return false
}

// transaction follows MULTI and EXEC: the commands in between are only queued.
type transaction struct{ open, touches bool }

// applies reports whether the command can touch the key as soon as it arrives.
func (x *transaction) applies(name string, args []string, key string) bool {
	touches := keyobserver.Touches(name, args[1:], key)
	switch name {
	case "multi":
		*x = transaction{open: true}
		return false
	case "exec":
		touches = x.open && x.touches // the queued commands are known
		*x = transaction{}
		return touches
	case "discard", "reset":
		*x = transaction{}
		return false
	}
	if x.open {
		// WATCH and the like cannot come here; everything else is queued.
		x.touches = x.touches || touches
		return false
	}
	return touches && !slices.Contains(subscribing, name)
}
