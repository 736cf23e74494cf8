package live

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/live/tap"
)

// When a key expires, according to an answer to PTTL that took 5 ms.
func TestEndOfAKey(t *testing.T) {
	asked := time.Unix(1000, 0)
	answered := asked.Add(5 * time.Millisecond)
	tests := []struct {
		name string
		left time.Duration
		want time.Time
	}{
		{"in a second", time.Second, asked.Add(time.Second)},
		{"in its last millisecond", 0, asked},
		{"never", -1, time.Time{}},
	}
	for _, tt := range tests {
		at, unsure := end(asked, answered, tt.left)
		if !at.Equal(tt.want) {
			t.Errorf("%s: ends at %v, want %v", tt.name, at, tt.want)
		}
		if !at.IsZero() && unsure < 5*time.Millisecond {
			t.Errorf("%s: sure to %v, and the answer took 5 ms", tt.name, unsure)
		}
	}
}

// What a look returns for a key of each type.
func TestLook(t *testing.T) {
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), Protocol: 2, DisableIdentity: true})
	defer rdb.Close()
	o := newObserver(rdb, "lock", time.Second, engine.NewClock(1), func(history.Event) {})
	defer o.watch.Stop()
	put := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		make  func()
		value string
	}{
		{"string", func() { put(nil, m.Set("lock", "a")) }, "a"},
		{"hash", func() { m.HSet("lock", "b", "2", "a", "1") }, "a=1\nb=2\n"},
		{"list", func() { put(m.RPush("lock", "holder", "waits")) }, "holder"},
		{"set", func() { put(m.SAdd("lock", "b", "a")) }, "a\nb"},
	}
	for _, tt := range tests {
		m.FlushAll()
		if got := o.look(); got.There {
			t.Errorf("%s: %+v before it is made", tt.name, got)
		}
		tt.make()
		if got := o.look(); !got.There || got.Value != tt.value || !got.Expires.IsZero() {
			t.Errorf("%s: %+v, want value %q and no end", tt.name, got, tt.value)
		}
		m.SetTTL("lock", time.Minute)
		if got := o.look(); time.Until(got.Expires) > time.Minute || time.Until(got.Expires.Add(got.Unsure)) <= 59*time.Second {
			t.Errorf("%s: ends in %v", tt.name, time.Until(got.Expires))
		}
	}
	if err := o.err(); err != nil {
		t.Error(err)
	}
}

// Commands that pass unseen make a run unwatched; a server that a fault took down does
// not.
func TestCommandsThatPassUnseenAreReported(t *testing.T) {
	for _, tt := range []struct {
		err  error
		told bool
	}{{tap.ErrUnseen, true}, {tap.ErrMalformed, true}, {tap.ErrUnpaired, true}, {tap.ErrNoReply, true}, {tap.ErrUpstream, false}} {
		o := newObserver(nil, "lock", time.Second, engine.NewClock(1), func(history.Event) {})
		o.options().Strange(fmt.Errorf("client A: %w", tt.err))
		if told := errors.Is(o.err(), tt.err); told != tt.told {
			t.Errorf("%v: reported %v, want %v", tt.err, told, tt.told)
		}
	}
}

// A script that builds its key's name, and so does not name it, is seen to take the
// lock and to give it up.
func TestScriptThatBuildsItsKeysNameIsSeen(t *testing.T) {
	m := miniredis.RunT(t)
	admin := redis.NewClient(&redis.Options{Addr: m.Addr(), Protocol: 2, DisableIdentity: true})
	defer admin.Close()
	events := make(chan history.Event, 10)
	o := newObserver(admin, "lock:item", time.Second, engine.NewClock(1), func(e history.Event) {
		if e.Kind != history.Command {
			events <- e
		}
	})
	defer o.watch.Stop()
	way, err := tap.New("A", m.Addr, o.options())
	if err != nil {
		t.Fatal(err)
	}
	defer way.Close()
	rdb := redis.NewClient(&redis.Options{Addr: way.Addr(), Protocol: 2, DisableIdentity: true})
	defer rdb.Close()
	for _, tt := range []struct {
		script string
		want   history.Kind
	}{
		{`return redis.call('set', 'lock:' .. ARGV[1], 'a', 'px', 60000)`, history.Locked},
		{`return redis.call('del', 'lock:' .. ARGV[1])`, history.Unlocked},
	} {
		if err := rdb.Eval(t.Context(), tt.script, nil, "item").Err(); err != nil {
			t.Fatal(err)
		}
		select {
		case e := <-events:
			if e.Kind != tt.want || e.Client != "A" {
				t.Errorf("%+v, want %s by A", e, tt.want)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: nothing seen", tt.want)
		}
	}
}
