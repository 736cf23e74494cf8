package live

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/keyobserver"
	"github.com/lockchaos/simrun/internal/live/tap"
)

// observer sees the key before and after each command that can touch it, since
// the taps let such commands pass one at a time.
type observer struct {
	admin  *redis.Client
	key    string
	clock  engine.Clock
	emit   func(history.Event)
	watch  *keyobserver.Observer
	serial tap.Serializer
	broken atomic.Pointer[error] // the first reason why the key could not be watched

	// Under serial:
	last keyobserver.State // as last seen, for when Redis does not answer
	down bool              // a fault has taken the server down
}

// newObserver makes an observer. Renew is the real time between two renewals of
// the lock: a life that grew by less than half of it was not renewed.
func newObserver(admin *redis.Client, key string, renew time.Duration, c engine.Clock, emit func(history.Event)) *observer {
	o := &observer{admin: admin, key: key, clock: c, emit: emit, serial: tap.NewSerializer()}
	o.watch = keyobserver.New(o.look, keyobserver.Slack{Life: renew / 2, Expiry: expirySlack}, o.record)
	o.watch.Turn = o.serial
	return o
}

// expirySlack: Redis reports lives in milliseconds, and its answer takes a moment.
const expirySlack = 3 * time.Millisecond

// record emits an event of the key in the scenario's time.
func (o *observer) record(e history.Event) {
	e.Dur = int64(o.clock.Told(time.Duration(e.Dur)))
	o.emit(e)
}

// options make a client's tap report to the observer.
func (o *observer) options() tap.Options {
	return tap.Options{
		Key:    o.key,
		Serial: o.serial,
		// What time, or a step of Redis's clock, has done is not the command's work.
		Before: func(_, _ string) { o.watch.Sync("") },
		After: func(client, name string) {
			if keyobserver.Makes(name) { // of a script nobody knows what it makes
				o.watch.Try()
			}
			o.watch.Sync(client)
		},
		Command: func(client, name string) {
			o.emit(history.Event{Kind: history.Command, Client: client, Detail: name})
		},
		Strange: func(err error) {
			if !errors.Is(err, tap.ErrUpstream) { // if the server is gone, a look fails as well
				o.breaks(err)
			}
		},
	}
}

// between runs do with no key command in flight, so its effect on the key is
// attributed to nobody. Calling it from a tap callback deadlocks.
func (o *observer) between(do func() error) error {
	o.serial.Lock()
	defer o.serial.Unlock()
	o.watch.Sync("")
	err := do()
	o.watch.Sync("")
	return err
}

// takeDown is between for a do that ends the server. Until back is called the
// server is not asked, and the key is taken to be as it was until it expires, or
// to be gone with the data.
func (o *observer) takeDown(do func() error, dataLost bool) error {
	return o.between(func() error {
		err := do()
		o.down = err == nil
		if o.down && dataLost {
			o.last = keyobserver.State{}
		}
		return err
	})
}

// back marks the server reachable again. A non-nil err means it never will be;
// the run is then recorded as unwatched.
func (o *observer) back(err error) {
	o.serial.Lock()
	defer o.serial.Unlock()
	if err != nil {
		o.breaks(err)
		return
	}
	o.down = false
	o.watch.Sync("")
}

// replace runs do, which puts another server in this one's place, with no key
// command in flight.
func (o *observer) replace(do func() error) error {
	o.serial.Lock()
	defer o.serial.Unlock()
	o.watch.Sync("")
	err := do()
	o.watch.Replaced()
	return err
}

// look reads the key through the harness's own connection. If Redis does not
// answer, the key is taken to be as it was.
func (o *observer) look() keyobserver.State {
	if o.down {
		if o.last.Due(0) {
			o.last = keyobserver.State{}
		}
		return o.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	if state, err := o.read(ctx); err != nil {
		o.breaks(err)
	} else {
		o.last = state
	}
	return o.last
}

// breaks records why the key, or who changes it, cannot be watched. The first
// reason is kept.
func (o *observer) breaks(err error) { o.broken.CompareAndSwap(nil, &err) }

// lookTimeout bounds one look at the server by the harness.
const lookTimeout = 2 * time.Second

func (o *observer) read(ctx context.Context) (keyobserver.State, error) {
	asked := time.Now()
	pipe := o.admin.TxPipeline() // all at one instant of Redis's clock
	kind, left := pipe.Type(ctx, o.key), pipe.PTTL(ctx, o.key)
	text, fields := pipe.Get(ctx, o.key), pipe.HGetAll(ctx, o.key)
	first, members := pipe.LRange(ctx, o.key, 0, 0), pipe.SMembers(ctx, o.key)
	_, _ = pipe.Exec(ctx) // all but one of the last four are for another type
	if err := cmp.Or(kind.Err(), left.Err()); err != nil {
		return keyobserver.State{}, err
	}
	if kind.Val() == "none" {
		return keyobserver.State{}, nil
	}
	value := keyobserver.Value{String: text.Val(), Hash: fields.Val(), List: first.Val(), Set: members.Val()}
	state := value.Held()
	state.Expires, state.Unsure = end(asked, time.Now(), left.Val())
	return state, nil
}

// end turns the answer to PTTL into the time at which a key's life ends, and how
// much later that may be. Redis read its clock at some time between the question
// and the answer, and rounded: 0 is a key in its last millisecond.
func end(asked, answered time.Time, left time.Duration) (at time.Time, unsure time.Duration) {
	if left < 0 {
		return time.Time{}, 0
	}
	return asked.Add(left), answered.Sub(asked) + time.Millisecond
}

// err returns why the key could not be watched all the time, or nil.
func (o *observer) err() error {
	if err := o.broken.Load(); err != nil {
		return *err
	}
	return nil
}
