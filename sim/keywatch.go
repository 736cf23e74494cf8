package sim

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/lockchaos/simrun/sim/history"
)

// keyWatch tells what happens to one key by looking at it before and after each
// command that names it. It needs to know nothing of the lock: whoever's
// command brought the key into being owns it.
type keyWatch struct {
	m    *miniredis.Miniredis
	key  string
	tick func()                            // moves Redis's clock to now
	real func(time.Duration) time.Duration // how long a time on Redis's clock takes
	emit func(history.Event)

	mu    sync.Mutex // never held while emitting
	last  keyState
	owner string
	alarm *time.Timer
	ended bool
}

// keyState is what the key looks like.
type keyState struct {
	there   bool
	value   string
	expires time.Time // in the bubble's time; zero: never
}

func newKeyWatch(m *miniredis.Miniredis, key string, tick func(), real func(time.Duration) time.Duration, emit func(history.Event)) *keyWatch {
	return &keyWatch{m: m, key: key, tick: tick, real: real, emit: emit}
}

// look reads the key as it is now.
func (w *keyWatch) look() keyState {
	db := w.m.DB(0) // lets time that has passed reach the keys, once for all that follows
	if !db.Exists(w.key) {
		return keyState{}
	}
	s := keyState{there: true}
	switch db.Type(w.key) {
	case "string":
		s.value, _ = db.Get(w.key)
	case "hash":
		fields, _ := db.HKeys(w.key)
		slices.Sort(fields)
		var b strings.Builder
		for _, f := range fields {
			b.WriteString(f)
			b.WriteByte('=')
			b.WriteString(db.HGet(w.key, f))
			b.WriteByte('\n')
		}
		s.value = b.String()
	}
	if ttl := db.TTL(w.key); ttl > 0 {
		s.expires = time.Now().Add(w.real(ttl))
	}
	return s
}

// expire tells that the key has expired, if it has and the alarm has not told.
// It is cheap where the key has time left.
func (w *keyWatch) expire() {
	w.mu.Lock()
	due := w.last.there && !w.last.expires.IsZero() && time.Until(w.last.expires) <= rounding
	w.mu.Unlock()
	if due {
		w.sync("")
	}
}

// rounding is how far the alarm may be from the instant at which the key goes,
// where Redis's clock runs at a rate of its own.
const rounding = 10 * time.Microsecond

// sync compares the key with how it last was, and tells what actor (a client;
// empty: nobody, time alone) has done to it.
func (w *keyWatch) sync(actor string) {
	now := w.look()
	w.mu.Lock()
	was, owner := w.last, w.owner
	events := changes(was, now, owner, actor)
	w.last = now
	for _, e := range events {
		switch e.Kind {
		case history.Locked:
			w.owner = e.Client
		case history.Unlocked, history.Expired:
			w.owner = ""
		}
	}
	w.arm()
	w.mu.Unlock()
	for _, e := range events {
		w.emit(e)
	}
}

// changes names what turned the key from was into now.
func changes(was, now keyState, owner, actor string) []history.Event {
	life := func() int64 {
		if now.expires.IsZero() {
			return 0
		}
		return int64(time.Until(now.expires))
	}
	gone := history.Event{Kind: history.Unlocked, Client: actor, Owner: owner}
	if actor == "" {
		gone = history.Event{Kind: history.Expired, Owner: owner}
	}
	born := history.Event{Kind: history.Locked, Client: actor, Dur: life()}
	switch {
	case !was.there && !now.there:
		return nil
	case !was.there:
		return []history.Event{born}
	case !now.there:
		return []history.Event{gone}
	case actor != "" && actor != owner && was.value != now.value:
		return []history.Event{gone, born}
	case actor != "" && longer(was.expires, now.expires):
		return []history.Event{{Kind: history.Renewed, Client: actor, Owner: owner, Dur: life()}}
	}
	return nil
}

// longer reports whether a key's life was lengthened by more than rounding.
func longer(was, now time.Time) bool {
	if was.IsZero() {
		return false
	}
	return now.IsZero() || now.Sub(was) > time.Millisecond
}

// arm sets the alarm at which the key will have expired. The mutex is held.
func (w *keyWatch) arm() {
	if w.alarm != nil {
		w.alarm.Stop()
		w.alarm = nil
	}
	if w.ended || !w.last.there || w.last.expires.IsZero() {
		return
	}
	w.alarm = time.AfterFunc(time.Until(w.last.expires), func() {
		w.tick()
		w.sync("")
	})
}

// stop ends the watch.
func (w *keyWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.alarm != nil {
		w.alarm.Stop()
	}
}
