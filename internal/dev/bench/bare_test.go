package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/virtual/memnet"
	"github.com/lockchaos/simrun/scenarios"
)

// side is the result of one side of the comparison in one round.
type side struct {
	commands int
	virtual  time.Duration
	real     time.Duration
}

func (s side) String() string {
	return fmt.Sprintf("%8.0f commands/s %9.0f virtual s/real s", float64(s.commands)/s.real.Seconds(), s.virtual.Seconds()/s.real.Seconds())
}

// bare sends the recorded commands without the harness.
func bare(h bubble.Host, s *scenarios.Scenario, scripts []script) side {
	var out side
	begun := time.Now()
	for _, sc := range scripts {
		err := h.Run(func() {
			start := time.Now()
			out.commands += replay(s, sc)
			out.virtual += time.Since(start)
		})
		if err != nil {
			panic(err)
		}
	}
	out.real = time.Since(begun)
	return out
}

// replay runs one script in the caller's bubble and returns the number of commands
// sent.
func replay(s *scenarios.Scenario, sc script) int {
	m := miniredis.NewMiniRedis()
	first, err := m.Dial()
	if err != nil {
		panic(err)
	}
	_ = first.Close()
	m.ClockTTL(true)
	sent := 0
	begun := time.Now()
	var all sync.WaitGroup
	for i, name := range sc.names {
		rdb := newClient(s, m, uint64(i))
		sent += len(sc.clients[name])
		all.Go(func() {
			defer rdb.Close()
			send(rdb, begun, sc.clients[name])
		})
	}
	all.Wait()
	m.Close()
	return sent
}

func send(rdb *redis.Client, begun time.Time, ops []op) {
	ctx := context.Background()
	var sub *redis.PubSub
	for _, o := range ops {
		time.Sleep(time.Until(begun.Add(o.at)))
		if sub != nil {
			_ = sub.Close()
			sub = nil
		}
		if o.subscribe {
			sub = rdb.Subscribe(ctx, "bench")
			_, _ = sub.Receive(ctx)
			continue
		}
		rdb.Do(ctx, o.args...)
	}
	if sub != nil {
		_ = sub.Close()
	}
}

// newClient has the options that the harness gives its clients.
func newClient(s *scenarios.Scenario, m *miniredis.Miniredis, n uint64) *redis.Client {
	rng := rand.New(rand.NewPCG(1, n))
	var mu sync.Mutex
	latency := func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return s.Network.Min + time.Duration(rng.Int64N(int64(s.Network.Max-s.Network.Min)+1000))
	}
	return redis.NewClient(&redis.Options{
		Addr:                     "127.0.0.1:6379",
		Protocol:                 2,
		DisableIdentity:          true,
		MinRetryBackoff:          -1,
		MaxRetryBackoff:          -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			near, far := memnet.Pipe(memnet.End{Send: latency}, memnet.End{Send: latency})
			m.Server().ServeConn(far)
			return near, nil
		},
	})
}
