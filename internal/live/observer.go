package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/keyobserver"
	"github.com/lockchaos/simrun/internal/live/tap"
)

// observer sees the key before and after each command that names it, since the
// taps let such commands pass one at a time.
type observer struct {
	admin *redis.Client
	key   string
	clock engine.Clock
	emit  func(history.Event)
	watch *keyobserver.Observer
	turn  *tap.Turnstile

	mu     sync.Mutex
	last   keyobserver.State // as last seen, for when Redis does not answer
	broken error             // the first look that failed
	away   bool              // there is no server, on purpose
}

// newObserver makes one. Renew is how often a lock renews, in real time: a life
// that grew by less than half of that was not renewed.
func newObserver(admin *redis.Client, key string, renew time.Duration, c engine.Clock, emit func(history.Event)) *observer {
	o := &observer{admin: admin, key: key, clock: c, emit: emit, turn: tap.NewTurnstile()}
	o.watch = keyobserver.New(o.look, keyobserver.Slack{Life: renew / 2, Expiry: expirySlack}, o.record)
	o.watch.Turn = o.turn
	return o
}

// expirySlack: Redis tells lives in milliseconds, and the answer takes a moment.
const expirySlack = 3 * time.Millisecond

// record tells an event of the key in the scenario's time.
func (o *observer) record(e history.Event) {
	e.Dur = int64(o.clock.Told(time.Duration(e.Dur)))
	o.emit(e)
}

// options make a client's tap report here.
func (o *observer) options() tap.Options {
	return tap.Options{
		Key:    o.key,
		Serial: o.turn,
		// What time, or a step of Redis's clock, has done is not the command's work.
		Before: func(string, tap.Command) { o.watch.Sync("") },
		After:  func(client string, _ tap.Command) { o.watch.Sync(client) },
		Command: func(client, name string) {
			o.emit(history.Event{Kind: history.Command, Client: client, Detail: name})
		},
		Strange: func(err error) {
			if !errors.Is(err, tap.ErrUpstream) { // a look fails, too, where the server is gone
				o.breaks(err)
			}
		},
	}
}

// between does something to the server while no command that names the key is
// under way, so that what it does to the key is nobody's work. It must not be
// called by who holds the turn: what the taps call.
func (o *observer) between(do func() error) error {
	o.turn.Lock()
	defer o.turn.Unlock()
	o.watch.Sync("")
	err := do()
	o.watch.Sync("")
	return err
}

// look reads the key through the harness's own connection. Where Redis does not
// answer, the key is as it was.
func (o *observer) look() keyobserver.State {
	if state, away := o.unseen(); away {
		return state
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	state, err := o.read(ctx)
	if err != nil {
		o.breaks(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		o.last = state
	}
	return o.last
}

// breaks says that the key, or who changes it, cannot be watched. The first reason
// is kept.
func (o *observer) breaks(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken == nil {
		o.broken = err
	}
}

const lookTimeout = 2 * time.Second

func (o *observer) read(ctx context.Context) (keyobserver.State, error) {
	asked := time.Now()
	pipe := o.admin.TxPipeline() // all at one instant of Redis's clock
	kind, left := pipe.Type(ctx, o.key), pipe.PTTL(ctx, o.key)
	text, fields := pipe.Get(ctx, o.key), pipe.HGetAll(ctx, o.key)
	first, members := pipe.LRange(ctx, o.key, 0, 0), pipe.SMembers(ctx, o.key)
	_, _ = pipe.Exec(ctx) // all but one of the last four are of the wrong type
	if err := kind.Err(); err != nil {
		return keyobserver.State{}, err
	}
	if err := left.Err(); err != nil {
		return keyobserver.State{}, err
	}
	if kind.Val() == "none" {
		return keyobserver.State{}, nil
	}
	value := keyobserver.Value{String: text.Val(), Hash: fields.Val(), List: first.Val(), Set: members.Val()}
	state := keyobserver.State{There: true, Value: value.Text()}
	state.Expires, state.Unsure = end(asked, time.Now(), left.Val())
	return state, nil
}

// end is when a key's life ends, and how much later that may be, by the answer to
// PTTL. Redis looked at its clock at some time between the question and the
// answer, and rounded: 0 is a key in its last millisecond.
func end(asked, answered time.Time, left time.Duration) (at time.Time, unsure time.Duration) {
	if left < 0 {
		return time.Time{}, 0
	}
	return asked.Add(left), answered.Sub(asked) + time.Millisecond
}

// err is why the key could not be watched all the time.
func (o *observer) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.broken
}
