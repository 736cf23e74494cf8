package miniserver

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// server is a miniredis whose clock stands still until it is set.
func server(t *testing.T) (m *miniredis.Miniredis, at func(time.Duration) time.Time) {
	t.Helper()
	m = miniredis.NewMiniRedis()
	at = func(d time.Duration) time.Time {
		m.SetTime(epoch.Add(d))
		return epoch.Add(d)
	}
	at(0)
	m.ClockTTL(true)
	return m, at
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A snapshot restores every type of value, with the rest of its life.
func TestRestore(t *testing.T) {
	m, at := server(t)
	if err := m.Set("string", "a"); err != nil {
		t.Fatal(err)
	}
	m.HSet("hash", "owner", "1", "nonce", "7")
	m.HExpire("hash", "nonce", 3*time.Second)
	must[int](t)(m.Push("list", "a", "b"))
	must[int](t)(m.SetAdd("set", "b", "a"))
	must[bool](t)(m.ZAdd("zset", 1.5, "a"))
	m.SetTTL("hash", 10*time.Second)
	if err := m.Set("short", "a"); err != nil {
		t.Fatal(err)
	}
	m.SetTTL("short", time.Second)
	s := take(m, at(0))
	dump := m.Dump()

	m.FlushAll()
	if err := m.Set("later", "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.restore(m, at(0)); err != nil {
		t.Fatal(err)
	}
	if got := m.Dump(); got != dump {
		t.Errorf("restored\n%s\nwant\n%s", got, dump)
	}
	if left := m.TTL("hash"); left != 10*time.Second {
		t.Errorf("%v is left of the hash, want 10s", left)
	}
	if left := m.HTTL("hash", "nonce"); left != 3*time.Second {
		t.Errorf("%v is left of the field, want 3s", left)
	}

	if err := s.restore(m, at(4*time.Second)); err != nil {
		t.Fatal(err)
	}
	if m.Exists("short") || !m.Exists("string") {
		t.Errorf("after 4 s there is\n%s", m.Dump())
	}
	if left := m.TTL("hash"); left != 6*time.Second {
		t.Errorf("after 4 s %v is left of the hash, want 6s", left)
	}
	if m.HGet("hash", "nonce") != "" || m.HGet("hash", "owner") != "1" {
		t.Errorf("after 4 s the hash is\n%s", m.Dump())
	}
}

// A replica holds what the primary held lag ago, and a failover loses the rest.
func TestPromote(t *testing.T) {
	set := func(m *miniredis.Miniredis, key, v string, life time.Duration) {
		if err := m.Set(key, v); err != nil {
			t.Fatal(err)
		}
		m.SetTTL(key, life)
	}
	const second, ms = time.Second, time.Millisecond
	tests := []struct {
		name string
		do   map[time.Duration]func(*miniredis.Miniredis) // when → what the primary is told
		when time.Duration                                // of the failover
		want map[string]string
		loss Loss
	}{
		{
			"nothing is lost that is old enough",
			map[time.Duration]func(*miniredis.Miniredis){second: func(m *miniredis.Miniredis) { set(m, "lock", "A", 30*second) }},
			second + 500*ms, map[string]string{"lock": "A"}, Loss{Keys: 1},
		},
		{
			"a lock is lost that was just taken",
			map[time.Duration]func(*miniredis.Miniredis){second: func(m *miniredis.Miniredis) { set(m, "lock", "A", 30*second) }},
			second + 499*ms, map[string]string{}, Loss{Keys: 1, Gone: 1},
		},
		{
			"a lock is back that was just released",
			map[time.Duration]func(*miniredis.Miniredis){
				second:     func(m *miniredis.Miniredis) { set(m, "lock", "A", 30*second) },
				9 * second: func(m *miniredis.Miniredis) { m.Del("lock") },
			},
			9 * second, map[string]string{"lock": "A"}, Loss{Back: 1},
		},
		{
			"a renewal is lost",
			map[time.Duration]func(*miniredis.Miniredis){
				second:     func(m *miniredis.Miniredis) { set(m, "lock", "A", 30*second) },
				9 * second: func(m *miniredis.Miniredis) { m.SetTTL("lock", 30*second) },
			},
			9 * second, map[string]string{"lock": "A"}, Loss{Keys: 1, Older: 1},
		},
		{
			"what has expired is neither lost nor back",
			map[time.Duration]func(*miniredis.Miniredis){
				second:          func(m *miniredis.Miniredis) { set(m, "lock", "A", second) },
				second + 900*ms: func(m *miniredis.Miniredis) { set(m, "other", "A", 30*second) },
			},
			2*second + 100*ms, map[string]string{}, Loss{Keys: 1, Gone: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, at := server(t)
			r := newReplica(500*ms, at(0), take(m, at(0)))
			for d := time.Duration(0); d <= tt.when; d += ms {
				if do := tt.do[d]; do != nil {
					now := at(d)
					do(m)
					r.note(now, take(m, now))
				}
			}
			now := at(tt.when)
			s, loss := r.promote(now, now, take(m, now))
			if err := s.restore(m, now); err != nil {
				t.Fatal(err)
			}
			for _, k := range m.Keys() {
				if v := must[string](t)(m.Get(k)); v != tt.want[k] {
					t.Errorf("%s is %q, want %q", k, v, tt.want[k])
				}
			}
			if n := len(m.Keys()); n != len(tt.want) {
				t.Errorf("%d keys, want %d", n, len(tt.want))
			}
			if loss != tt.loss {
				t.Errorf("lost: %+v, want %+v", loss, tt.loss)
			}
		})
	}
}
