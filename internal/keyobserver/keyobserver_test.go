package keyobserver

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

// A command's effect is inferred from how the key looked before and after it.
func TestChangesOfTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := func(d time.Duration) time.Time { return time.Now().Add(d) }
		none := State{}
		key := func(value string, left time.Duration) State {
			return State{There: true, Value: value, Expires: in(left)}
		}
		unsure := func(value string, left, by time.Duration) State {
			return State{There: true, Value: value, Expires: in(left), Unsure: by}
		}
		forever := State{There: true, Value: "a"}
		tests := []struct {
			name         string
			was, now     State
			owner, actor string
			want         []history.Event
		}{
			{"nothing there", none, none, "", "A", nil},
			{"taken", none, key("a", 30), "", "A", []history.Event{{Kind: history.Locked, Client: "A", Dur: 30}}},
			{"taken without expiry", none, forever, "", "A", []history.Event{{Kind: history.Locked, Client: "A"}}},
			{"looked at by another", key("a", 30), key("a", 30), "A", "B", nil},
			{"expired", key("a", 1), none, "A", "", []history.Event{{Kind: history.Expired, Owner: "A"}}},
			{"gone before its time", key("a", 10*time.Second), none, "A", "", []history.Event{{Kind: history.Expired, Owner: "A", Dur: int64(10 * time.Second)}}},
			{"expired while another looked", key("a", 5), none, "A", "B", []history.Event{{Kind: history.Expired, Owner: "A"}}},
			{
				"expired and taken", key("a", 5), key("b", 30), "A", "B",
				[]history.Event{{Kind: history.Expired, Owner: "A"}, {Kind: history.Locked, Client: "B", Dur: 30}},
			},
			{"released", key("a", 30), none, "A", "A", []history.Event{{Kind: history.Unlocked, Client: "A", Owner: "A"}}},
			{"removed by another", key("a", 30), none, "A", "B", []history.Event{{Kind: history.Unlocked, Client: "B", Owner: "A"}}},
			{
				"taken over", key("a", 30), key("b", 30), "A", "B",
				[]history.Event{{Kind: history.Unlocked, Client: "B", Owner: "A"}, {Kind: history.Locked, Client: "B", Dur: 30}},
			},
			{"entered again", key("a=1", 30), key("a=2", 30), "A", "A", nil},
			{
				"renewed", key("a", 10*time.Second), key("a", 30*time.Second), "A", "A",
				[]history.Event{{Kind: history.Renewed, Client: "A", Owner: "A", Dur: int64(30 * time.Second)}},
			},
			{
				"renewed by another", key("a", 10*time.Second), key("a", 30*time.Second), "A", "B",
				[]history.Event{{Kind: history.Renewed, Client: "B", Owner: "A", Dur: int64(30 * time.Second)}},
			},
			{"made to last for ever", key("a", 10), forever, "A", "A", []history.Event{{Kind: history.Renewed, Client: "A", Owner: "A"}}},
			{"lengthened by rounding", key("a", 0), key("a", time.Millisecond), "A", "A", nil},
			{"extended within the uncertainty", unsure("a", 10*time.Second, 50*time.Millisecond), key("a", 10*time.Second+40*time.Millisecond), "A", "A", nil},
			{"lengthened by the clock's step", key("a", 10*time.Second), key("a", 70*time.Second), "A", "", nil},
		}
		for _, tt := range tests {
			if got := changes(tt.was, tt.now, tt.owner, nil, tt.actor, Slack{Life: time.Millisecond, Expiry: 5}); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
			}
		}
	})
}

// What a waiter writes beside the owner's mark takes nothing from the owner; what it
// writes over it does.
func TestWhatAWaiterWritesIntoTheKey(t *testing.T) {
	hash := func(fields ...string) Value {
		v := Value{Hash: map[string]string{}}
		for i := 0; i < len(fields); i += 2 {
			v.Hash[fields[i]] = fields[i+1]
		}
		return v
	}
	text := func(s string) Value { return Value{String: s} }
	locked := func(by string) history.Event { return history.Event{Kind: history.Locked, Client: by} }
	unlocked := func(by, owner string) history.Event {
		return history.Event{Kind: history.Unlocked, Client: by, Owner: owner}
	}
	tests := []struct {
		name  string
		steps []string // who wrote: A, B, A …
		key   []Value
		want  []history.Event // after that A has locked the key
	}{
		{"a waiter counts itself in a new field", []string{"A", "B"}, []Value{hash("owner", "A1"), hash("owner", "A1", "waiters", "1")}, nil},
		{"in a field that the owner made", []string{"A", "B", "C"}, []Value{hash("owner", "A1", "waiters", "0"), hash("owner", "A1", "waiters", "1"), hash("owner", "A1", "waiters", "2")}, nil},
		{"in a field of its own, of a lock that counts entries", []string{"A", "B"}, []Value{hash("A1", "1"), hash("A1", "1", "B1:waits", "1")}, nil},
		{"in a JSON object", []string{"A", "B"}, []Value{text(`{"owner":"A1","waiters":0}`), text(`{"owner":"A1","waiters":1}`)}, nil},
		{"in a set", []string{"A", "B"}, []Value{{Set: []string{"A1"}}, {Set: []string{"A1", "B1"}}}, nil},
		{"in the number that is the whole value", []string{"A", "B"}, []Value{text("1"), text("2")}, nil},
		{"behind the owner's token", []string{"A", "B"}, []Value{text("A1"), text("A1,B1")}, nil},
		{"it overwrites the owner's field", []string{"A", "B"}, []Value{hash("owner", "A1", "waiters", "1"), hash("owner", "B1", "waiters", "1")}, []history.Event{unlocked("B", "A"), locked("B")}},
		{"and a number there", []string{"A", "B"}, []Value{hash("owner", "7", "waiters", "1"), hash("owner", "9", "waiters", "1")}, []history.Event{unlocked("B", "A"), locked("B")}},
		{"and one in a JSON object", []string{"A", "B"}, []Value{text(`{"owner":"A1"}`), text(`{"owner":"B1"}`)}, []history.Event{unlocked("B", "A"), locked("B")}},
		{"its token begins as the owner's", []string{"A", "B"}, []Value{text("host1"), text("host12")}, []history.Event{unlocked("B", "A"), locked("B")}},
		{"it puts its field in the place of the owner's", []string{"A", "B"}, []Value{hash("A1", "1"), hash("B1", "1")}, []history.Event{unlocked("B", "A"), locked("B")}},
		{"it removes the owner's field", []string{"A", "B"}, []Value{hash("owner", "A1", "waiters", "1"), hash("waiters", "1")}, []history.Event{unlocked("B", "A")}},
		{"the head of a queue goes to the next", []string{"A", "B"}, []Value{{List: []string{"7", "8"}}, {List: []string{"8"}}}, []history.Event{unlocked("B", "A"), locked("B")}},
		{
			"the owner leaves the key to the waiters' count, and the next takes it",
			[]string{"A", "B", "A", "C", "B"},
			[]Value{hash("owner", "A1"), hash("owner", "A1", "waiters", "1"), hash("waiters", "1"), hash("waiters", "2"), hash("waiters", "2", "owner", "B1")},
			[]history.Event{unlocked("A", "A"), locked("B")},
		},
		{
			"another counts itself in the owner's own field",
			[]string{"A", "B", "A", "B"},
			[]Value{hash("host1", "1"), hash("host1", "2"), hash("host1", "1"), {}},
			[]history.Event{{Kind: history.Joined, Client: "B", Owner: "A"}, unlocked("B", "A")},
		},
	}
	for _, tt := range tests {
		var now State
		var got []history.Event
		o := New(func() State { return now }, Slack{}, func(e history.Event) { got = append(got, e) })
		for i, v := range tt.key {
			if now = v.Held(); v.Text() == "" {
				now = State{}
			}
			o.Sync(tt.steps[i])
		}
		if !slices.Equal(got[1:], tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got[1:], tt.want)
		}
	}
}

func TestUnkept(t *testing.T) {
	var now State
	o := New(func() State { return now }, Slack{}, func(history.Event) {})
	if o.Sync("A"); o.Unkept() {
		t.Error("nobody tried to make the key")
	}
	if o.Try(); !o.Unkept() {
		t.Error("a try that left no key is not seen")
	}
	now = State{There: true, Value: "a"}
	if o.Sync("A"); o.Unkept() {
		t.Error("there was a key")
	}
}

// A key that lives a little too long is looked at until it is gone, each time while
// no command can change it.
func TestExpiryIsSeenLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turn sync.Mutex
		looks, alone := 0, true
		last := time.Now().Add(time.Second)
		look := func() State {
			looks++
			if looks > 1 && turn.TryLock() {
				alone = false
				turn.Unlock()
			}
			return State{There: looks < 4, Value: "a", Expires: last}
		}
		var got []history.Kind
		o := New(look, Slack{Expiry: time.Millisecond}, func(e history.Event) { got = append(got, e.Kind) })
		o.Turn = &turn
		turn.Lock()
		o.Sync("A")
		turn.Unlock()
		time.Sleep(time.Minute)
		o.Stop()
		turn.Lock()
		defer turn.Unlock()
		if want := []history.Kind{history.Locked, history.Expired}; !slices.Equal(got, want) {
			t.Errorf("events %v after %d looks, want %v", got, looks, want)
		}
		if looks != 4 || !alone {
			t.Errorf("looked %d times, always in its turn %v; want 4 times in turn", looks, alone)
		}
	})
}

// When other data take the place of Redis's own, no client is held to account for
// what became of the key, and a key that is back belongs to its old owner.
func TestReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := State{There: true, Value: "a", Expires: time.Now().Add(time.Hour)}
		b := State{There: true, Value: "b", Expires: time.Now().Add(time.Hour)}
		expired := func(owner string) history.Event {
			return history.Event{Kind: history.Expired, Owner: owner, Dur: int64(time.Hour)} // so early
		}
		back := history.Event{Kind: history.Locked, Client: "A", Dur: int64(time.Hour)}
		tests := []struct {
			name   string
			before []State // the key after a command of A, of B, of A …
			after  State
			want   []history.Event
		}{
			{"nothing there", []State{{}}, State{}, nil},
			{"as it was", []State{a}, a, nil},
			{"lost", []State{a}, State{}, []history.Event{expired("A")}},
			{"removed, and back", []State{a, {}}, a, []history.Event{back}},
			{"taken by the next, and back", []State{a, b}, a, []history.Event{expired("B"), back}},
		}
		for _, tt := range tests {
			var now State
			var got []history.Event
			o := New(func() State { return now }, Slack{}, func(e history.Event) { got = append(got, e) })
			for i, s := range tt.before {
				now = s
				o.Sync(string(rune('A' + i%2)))
			}
			got, now = nil, tt.after
			o.Replaced()
			o.Stop()
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
			}
		}
	})
}

func TestTouches(t *testing.T) {
	for _, tt := range []struct {
		command, args string
		want          bool
	}{
		{"set", "k v", true},
		{"get", "other", false},
		{"set", "kk k:", false}, // not a part of a name
		{"eval", "script 0", true},
		{"evalsha", "0123 1 other", true},
		{"fcall", "f 0", true},
		{"exec", "", true},
		{"flushall", "", true},
		{"flushdb", "", true},
		{"swapdb", "0 1", true},
		{"ping", "", false},
	} {
		if got := Touches(tt.command, strings.Fields(tt.args), "k"); got != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.command, tt.args, got, tt.want)
		}
	}
}
