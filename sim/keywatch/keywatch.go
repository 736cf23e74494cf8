// Package keywatch tells what happens to one key by looking at it before and
// after each command that names it.
//
// Goals: it needs to know nothing of the lock, so it works for anybody's:
// whoever's command brought the key into being owns it.
// Non-goals: how to look at a key, and which commands there are (packages sim
// and live).
package keywatch

import (
	"sync"
	"time"

	"github.com/lockchaos/simrun/sim/history"
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
	return &Watch{look: look, slack: slack, emit: emit}
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
	now := w.look()
	w.mu.Lock()
	was, owner := w.last, w.owner
	events := changes(was, now, owner, actor, w.slack)
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
func changes(was, now State, owner, actor string, slack Slack) []history.Event {
	life := func() int64 {
		if now.Expires.IsZero() {
			return 0
		}
		return int64(time.Until(now.Expires))
	}
	gone := history.Event{Kind: history.Unlocked, Client: actor, Owner: owner}
	if actor == "" || was.due(slack.Expiry) {
		gone = history.Event{Kind: history.Expired, Owner: owner}
	}
	born := history.Event{Kind: history.Locked, Client: actor, Dur: life()}
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
		return []history.Event{{Kind: history.Renewed, Client: actor, Owner: owner, Dur: life()}}
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
