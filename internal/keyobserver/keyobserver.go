// Package keyobserver reports what happens to one key, from how it looks before
// and after each command that may touch it.
//
// Goals: it works for any lock, since it knows nothing of the lock: the client
// whose command created the key owns it.
// Non-goals: reading the key and intercepting commands (packages virtual and live).
package keyobserver

import (
	"slices"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

// Observer observes one key.
type Observer struct {
	// Turn is held while the key is looked at because it should have expired, to
	// keep commands from changing it meanwhile. Nil: none can.
	Turn sync.Locker

	look  func() State
	emit  func(history.Event)
	slack Slack

	mu    sync.Mutex // never held while looking or emitting
	last  State
	owner string
	wrote []string          // the parts of the value that are the owner's work
	known map[string]string // value → its owner then
	alarm *time.Timer
	ended bool

	tried, there bool // a command was to make the key; there was one
}

// Slack bounds the error of what is read of the key.
type Slack struct {
	// Life: a life that grew by no more than this was not renewed, but rounded or
	// read a moment later.
	Life time.Duration
	// Expiry: a key that is gone no sooner than this before the end of its life
	// has expired, whatever command was applied.
	Expiry time.Duration
}

// New makes an observer of a key that does not exist yet. Look reads the key;
// emit gets the events locked, renewed, unlocked and expired, whose Dur is in the
// time of time.Now.
func New(look func() State, slack Slack, emit func(history.Event)) *Observer {
	return &Observer{look: look, slack: slack, emit: emit, known: map[string]string{}}
}

// Try notes that a command arrived that makes the key.
func (o *Observer) Try() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tried = true
}

// Unkept reports whether commands were to make the key, and there never was one.
func (o *Observer) Unkept() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tried && !o.there
}

// Expire reports that the key has expired, if it has and the alarm has not gone off
// yet. It is cheap while the key has time left.
func (o *Observer) Expire() {
	o.mu.Lock()
	due := o.last.Due(o.slack.Expiry)
	o.mu.Unlock()
	if due {
		o.Sync("")
	}
}

// Due reports whether the key's life is over, or will be within slack.
func (s State) Due(slack time.Duration) bool {
	return s.There && !s.Expires.IsZero() && time.Until(s.Expires) <= slack
}

// Sync compares the key with how it last looked, and reports what actor (a client;
// empty: time alone) has done to it.
func (o *Observer) Sync(actor string) {
	o.see(actor, func(was, now State, owner, _ string) []history.Event {
		return changes(was, now, owner, o.wrote, actor, o.slack)
	})
}

// Replaced reports what has become of the key where other data took the place of
// Redis's own, as in a failover: no client's command did it. A key that exists
// belongs to whoever owned it when it last had this value.
func (o *Observer) Replaced() {
	o.see("", func(was, now State, owner, heir string) []history.Event {
		return replaced(was, now, owner, heir, o.slack)
	})
}

// see looks at the key and emits what compare makes of it. heir is who owned the
// key when it last had its present value.
func (o *Observer) see(actor string, compare func(was, now State, owner, heir string) []history.Event) {
	now := o.look()
	o.mu.Lock()
	events := compare(o.last, now, o.owner, o.known[now.Value])
	was := o.last
	o.last = now
	o.there = o.there || now.There
	if now.There && actor != "" && actor == o.owner {
		o.wrote = append(o.wrote, wrote(was.parts(), now.parts())...)
		slices.Sort(o.wrote)
		o.wrote = slices.Compact(o.wrote)
	}
	for _, e := range events {
		switch e.Kind {
		case history.Locked:
			o.owner, o.wrote = e.Client, wrote(nil, now.parts())
			if was.There && actor != "" {
				o.wrote = wrote(was.parts(), now.parts())
			}
		case history.Unlocked, history.Expired:
			o.owner, o.wrote = "", nil
		}
	}
	if now.There {
		o.known[now.Value] = o.owner
	}
	o.arm()
	o.mu.Unlock()
	for _, e := range events {
		o.emit(e)
	}
}

// replaced names the events of a key whose data were replaced.
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

// early is how long before its time a key is gone: Redis's clock was stepped, or its
// data were lost. It is 0 where that is within the slack.
func (s State) early(slack Slack) int64 {
	if left := s.life(); left > int64(slack.Life) {
		return left
	}
	return 0
}

// life is how long the key has left, in nanoseconds; 0 if it never expires.
func (s State) life() int64 {
	if s.Expires.IsZero() {
		return 0
	}
	return int64(time.Until(s.Expires))
}

// changes names the events that turned the key from was into now. wrote are the
// parts that are the owner's work; nil: all are. A waiter may add to the value and
// count in it: the key is the owner's as long as what says so stands.
func changes(was, now State, owner string, wrote []string, actor string, slack Slack) []history.Event {
	gone := history.Event{Kind: history.Unlocked, Client: actor, Owner: owner}
	if actor == "" || was.Due(slack.Expiry) {
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
	case actor == "":
		return nil
	}
	var events []history.Event
	if was.Value != now.Value {
		before, after := was.parts(), now.parts()
		claimed := claims(before, after)
		switch f := fateOf(before, after, wrote); {
		case was.Due(slack.Expiry) && actor != owner: // gone, and made anew
			return []history.Event{gone, born}
		case owner == "" && claimed:
			return []history.Event{born}
		case owner == "" || f == kept, actor == owner && (f != removed || claimed):
		case f == joined:
			events = append(events, history.Event{Kind: history.Joined, Client: actor, Owner: owner})
		case claimed:
			return []history.Event{gone, born}
		default:
			return []history.Event{gone}
		}
	}
	if longer(was, now, slack.Life) {
		events = append(events, history.Event{Kind: history.Renewed, Client: actor, Owner: owner, Dur: now.life()})
	}
	return events
}

// longer reports whether a key's life grew by more than rounding and the error of
// the earlier look.
func longer(was, now State, slack time.Duration) bool {
	if was.Expires.IsZero() {
		return false
	}
	return now.Expires.IsZero() || now.Expires.Sub(was.Expires.Add(was.Unsure)) > slack
}

// arm sets the alarm for the key's expiry. The mutex is held.
func (o *Observer) arm() {
	if o.alarm != nil {
		o.alarm.Stop()
		o.alarm = nil
	}
	if o.ended || !o.last.There || o.last.Expires.IsZero() {
		return
	}
	left := time.Until(o.last.Expires)
	if left <= 0 { // it should be gone and is not yet
		left = o.slack.Expiry
	}
	o.alarm = time.AfterFunc(left, o.ring)
}

// ring looks whether the key has expired; Sync arms the alarm again if not.
func (o *Observer) ring() {
	if o.Turn != nil {
		o.Turn.Lock()
		defer o.Turn.Unlock()
	}
	o.Sync("")
}

// Stop ends the observation.
func (o *Observer) Stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.alarm != nil {
		o.alarm.Stop()
	}
}
