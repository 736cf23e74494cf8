// Package keyobserver tells what happens to one key by looking at it before and
// after each command that names it.
//
// Goals: it needs to know nothing of the lock, so it works for anybody's:
// whoever's command brought the key into being owns it.
// Non-goals: how to look at a key, and which commands there are (packages sim
// and live).
package keyobserver

import (
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

// Watch watches one key.
type Watch struct {
	// Turn is held while the key is looked at because its life should be over,
	// so that no command changes it meanwhile. Nil: none can.
	Turn sync.Locker

	look  func() State
	emit  func(history.Event)
	slack Slack

	mu    sync.Mutex // never held while looking or emitting
	last  State
	owner string
	known map[string]string // value → whose it was
	alarm *time.Timer
	ended bool
}

// State is what the key looks like.
type State struct {
	There   bool
	Value   string
	Expires time.Time // by time.Now, at the earliest; zero: never
	// Unsure is how much later it may expire: who looked was not told at once.
	Unsure time.Duration
}

// Slack is how far what is read of the key may be off.
type Slack struct {
	// Life that grew by no more than this is not renewed: it was read a moment
	// later, or rounded.
	Life time.Duration
	// Expiry: a key that is gone so soon before its life's end, or after it, has
	// expired, whatever command came by.
	Expiry time.Duration
}

// New makes a watch of a key that is not there. Look says what the key looks
// like now; emit gets the events: locked, renewed, unlocked, expired. Their Dur
// is in the time of time.Now.
func New(look func() State, slack Slack, emit func(history.Event)) *Watch {
	return &Watch{look: look, slack: slack, emit: emit, known: map[string]string{}}
}

// Expire tells that the key has expired, if it has and the alarm has not told.
// It is cheap where the key has time left.
func (w *Watch) Expire() {
	w.mu.Lock()
	due := w.last.due(w.slack.Expiry)
	w.mu.Unlock()
	if due {
		w.Sync("")
	}
}

// due says that the key's life is over, or is so within the slack.
func (s State) due(slack time.Duration) bool {
	return s.There && !s.Expires.IsZero() && time.Until(s.Expires) <= slack
}

// Sync compares the key with how it last was, and tells what actor (a client;
// empty: nobody, time alone) has done to it.
func (w *Watch) Sync(actor string) {
	w.see(func(was, now State, owner, _ string) []history.Event {
		return changes(was, now, owner, actor, w.slack)
	})
}

// Replaced tells that Redis's data are not those that they were, as after a
// failover: what has become of the key is nobody's work. A key that is there is of
// whoever owned it when last it had this value.
func (w *Watch) Replaced() {
	w.see(func(was, now State, owner, heir string) []history.Event {
		return replaced(was, now, owner, heir, w.slack)
	})
}

// see looks at the key and tells what tell makes of it. heir is who owned the key
// when last it looked so.
func (w *Watch) see(tell func(was, now State, owner, heir string) []history.Event) {
	now := w.look()
	w.mu.Lock()
	events := tell(w.last, now, w.owner, w.known[now.Value])
	w.last = now
	for _, e := range events {
		switch e.Kind {
		case history.Locked:
			w.owner = e.Client
		case history.Unlocked, history.Expired:
			w.owner = ""
		}
	}
	if now.There {
		w.known[now.Value] = w.owner
	}
	w.arm()
	w.mu.Unlock()
	for _, e := range events {
		w.emit(e)
	}
}

// replaced names what became of the key where other data took its place.
func replaced(was, now State, owner, heir string, slack Slack) (events []history.Event) {
	if was.There && now.There && owner == heir {
		return nil
	}
	if was.There {
		events = append(events, history.Event{Kind: history.Expired, Owner: owner, Dur: was.early(slack)})
	}
	if now.There {
		events = append(events, history.Event{Kind: history.Locked, Client: heir, Dur: now.life()})
	}
	return events
}

// early is by how much a key that is gone did not live out its life, 0 where that is
// no more than the slack: Redis's clock has stepped, or its data is lost.
func (s State) early(slack Slack) int64 {
	if left := s.life(); left > int64(slack.Life) {
		return left
	}
	return 0
}

// life is what is left of it in nanoseconds, 0 where it has no end.
func (s State) life() int64 {
	if s.Expires.IsZero() {
		return 0
	}
	return int64(time.Until(s.Expires))
}

// changes names what turned the key from was into now.
func changes(was, now State, owner, actor string, slack Slack) []history.Event {
	gone := history.Event{Kind: history.Unlocked, Client: actor, Owner: owner}
	if actor == "" || was.due(slack.Expiry) {
		gone = history.Event{Kind: history.Expired, Owner: owner, Dur: was.early(slack)}
	}
	born := history.Event{Kind: history.Locked, Client: actor, Dur: now.life()}
	switch {
	case !was.There && !now.There:
		return nil
	case !was.There:
		return []history.Event{born}
	case !now.There:
		return []history.Event{gone}
	case actor != "" && actor != owner && was.Value != now.Value:
		return []history.Event{gone, born}
	case actor != "" && longer(was, now, slack.Life):
		return []history.Event{{Kind: history.Renewed, Client: actor, Owner: owner, Dur: now.life()}}
	}
	return nil
}

// longer reports whether a key's life was lengthened by more than rounding and
// more than either look is unsure of.
func longer(was, now State, slack time.Duration) bool {
	if was.Expires.IsZero() {
		return false
	}
	return now.Expires.IsZero() || now.Expires.Sub(was.Expires.Add(was.Unsure)) > slack
}

// arm sets the alarm at which the key will have expired. The mutex is held.
func (w *Watch) arm() {
	if w.alarm != nil {
		w.alarm.Stop()
		w.alarm = nil
	}
	if w.ended || !w.last.There || w.last.Expires.IsZero() {
		return
	}
	left := time.Until(w.last.Expires)
	if left <= 0 { // it should be gone, and is not yet
		left = w.slack.Expiry
	}
	w.alarm = time.AfterFunc(left, w.ring)
}

// ring looks whether the key has expired. One that has not is looked at again.
func (w *Watch) ring() {
	if w.Turn != nil {
		w.Turn.Lock()
		defer w.Turn.Unlock()
	}
	w.Sync("")
}

// Stop ends the watch.
func (w *Watch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.alarm != nil {
		w.alarm.Stop()
	}
}
