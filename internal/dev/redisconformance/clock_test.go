package redisconformance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// atEpoch starts a miniredis whose clock stands still, with one key.
func atEpoch(t *testing.T, life time.Duration) *miniredis.Miniredis {
	t.Helper()
	m := miniredis.RunT(t)
	m.SetTime(epoch)
	m.ClockTTL(true)
	if err := m.Set(key, "a"); err != nil {
		t.Fatal(err)
	}
	m.SetTTL(key, life)
	return m
}

// When Redis's clock goes back, every life grows by the same amount. On miniredis it
// does not, and time in which no command ran is forgotten; whoever steps its clock
// must correct both. If this test fails, change fakeServer.jump and package
// miniserver.
func TestMiniredisKeepsLivesWhenItsClockGoesBack(t *testing.T) {
	for _, c := range []struct {
		name string
		back func(m *miniredis.Miniredis)
		want time.Duration // Redis: 10 s have passed of 30, then 65 back: 85 s
	}{
		{"a new time alone, after a look", func(m *miniredis.Miniredis) {
			m.DB(0)
			m.SetTime(epoch.Add(-55 * time.Second))
		}, 20 * time.Second},
		{"a new time alone", func(m *miniredis.Miniredis) {
			m.SetTime(epoch.Add(-55 * time.Second))
		}, 30 * time.Second},
		{"a look, a new time, lives forwarded by less than nothing", func(m *miniredis.Miniredis) {
			m.DB(0)
			m.SetTime(epoch.Add(-55 * time.Second))
			m.FastForward(-65 * time.Second)
		}, 85 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := atEpoch(t, 30*time.Second)
			m.SetTime(epoch.Add(10 * time.Second))
			c.back(m)
			if got := m.TTL(key); got != c.want {
				t.Errorf("%v is left, want %v", got, c.want)
			}
		})
	}
}

// On miniredis a key of n milliseconds expires when n have passed.
func TestMiniredisEndsAKeyAtItsLastMillisecond(t *testing.T) {
	m := atEpoch(t, time.Second)
	m.SetTime(epoch.Add(time.Second - time.Nanosecond))
	if !m.Exists(key) {
		t.Error("the key is over before its time")
	}
	m.SetTime(epoch.Add(time.Second))
	if m.Exists(key) {
		t.Error("the key is there when its time is over")
	}
}

// On Redis it lives through the millisecond in which it ends.
func TestRedisKeepsAKeyThroughItsLastMillisecond(t *testing.T) {
	admin, ctx := startRedis(t, "").admin, context.Background()
	l := live{T: t}
	l.until("a key is seen with nothing left", func() bool {
		pipe := admin.Pipeline()
		pipe.Set(ctx, key, "a", time.Millisecond)
		var lives []*redis.DurationCmd
		for range 300 {
			lives = append(lives, pipe.PTTL(ctx, key))
		}
		if _, err := pipe.Exec(ctx); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(lives, func(c *redis.DurationCmd) bool { return c.Val() == 0 })
	})
}
