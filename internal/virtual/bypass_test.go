package virtual_test

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/lock"
)

// A developer's own Redis on the default port must not see a virtual run, even of a
// lock that dials by itself; and a finding says that such a lock does.
func TestRealRedisIsOutOfReach(t *testing.T) {
	real := miniredis.NewMiniRedis()
	if err := real.StartAddr("127.0.0.1:6379"); err != nil {
		if os.Getenv("SIMRUN_CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("port 6379 is taken: %v", err)
	}
	defer real.Close()
	tests := map[string]struct {
		lock    func(strategy.Env) (lock.Locker, error)
		reaches bool // what nothing in this process can prevent
	}{
		"a client of its own, from the options": {lock: func(e strategy.Env) (lock.Locker, error) {
			o := e.Redis.Options()
			return lock.NewToken(redis.NewClient(&redis.Options{Addr: o.Addr, Protocol: 2, DisableIdentity: true}), e.Key)
		}},
		"a client of its own, beside the one it was given": {lock: func(e strategy.Env) (lock.Locker, error) {
			own := redis.NewClient(&redis.Options{Addr: e.Redis.Options().Addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1})
			return fake{acquire: func(ctx context.Context, _ strategy.Env) error {
				if err := e.Redis.Ping(ctx).Err(); err != nil {
					return err
				}
				return own.SetNX(ctx, e.Key, "mine", e.Lease).Err()
			}}, nil
		}},
		"a bare connection": {lock: func(e strategy.Env) (lock.Locker, error) {
			return fake{acquire: func(ctx context.Context, _ strategy.Env) error {
				c, err := (&net.Dialer{}).DialContext(ctx, "tcp", e.Redis.Options().Addr)
				if err == nil {
					_ = c.Close()
				}
				return err
			}}, nil
		}},
		"an error that is kept quiet": {lock: func(e strategy.Env) (lock.Locker, error) {
			return fake{acquire: func(ctx context.Context, _ strategy.Env) error {
				c, err := net.Dial("tcp", e.Redis.Options().Addr)
				if err == nil {
					_ = c.Close()
				}
				return lock.ErrNotAcquired
			}}, nil
		}},
		"an address of its own": {reaches: true, lock: func(e strategy.Env) (lock.Locker, error) {
			return fake{acquire: func(context.Context, strategy.Env) error {
				c, err := net.Dial("tcp", real.Addr())
				if err == nil {
					_ = c.Close()
				}
				return err
			}}, nil
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := real.TotalConnectionCount()
			out := virtual.Run(bubble.In(t), engine.Job{Scenario: scenario(t, quiet), Strategy: strategy.Strategy{Name: "own", New: tt.lock}, Seed: 1})
			if reached := real.TotalConnectionCount() > before; reached != tt.reaches {
				t.Errorf("reached the server of others: %v, want %v", reached, tt.reaches)
			}
			for _, f := range out.Report.Findings {
				if f.Class == "broken" && strings.Contains(f.Detail, "did not dial through its environment") {
					return
				}
			}
			t.Errorf("no finding says that it did not dial through its environment: %+v", out.Report.Findings)
		})
	}
}
