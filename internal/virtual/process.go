package virtual

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/virtual/memnet"
	"github.com/lockchaos/simrun/scenarios"
)

// errDead: a crashed process dials.
var errDead = errors.New("process is dead")

// unreachable is the address of Redis that clients are given. A connection to it
// exists only through the client's own dialer: no TCP stack opens one to a
// broadcast address (RFC 1122, 4.2.3.10), so a library that dials by itself fails
// at once and never reaches a server that happens to run. It is numeric, since a
// name would be looked up.
const unreachable = "255.255.255.255:6379"

// process is one simulated client: its sockets, its pool, its life.
type process struct {
	*engine.Life
	place    int // among the clients
	seed     uint64
	scenario *scenarios.Scenario
	redis    *redisServer
	rdb      *redis.Client
	toxics   *toxicLinks // nil where no fault needs toxics

	dialed atomic.Int64 // connections so far

	mu    sync.Mutex
	conns []*conn
}

func newProcess(name string, place int, seed uint64, s *scenarios.Scenario, r *redisServer) *process {
	p := &process{Life: engine.NewLife(name), place: place, seed: seed, scenario: s, redis: r}
	p.rdb = redis.NewClient(&redis.Options{
		Addr:                     unreachable,
		Protocol:                 2,
		DisableIdentity:          true,
		MinRetryBackoff:          -1, // it draws from a generator that nobody can seed
		MaxRetryBackoff:          -1,
		PoolSize:                 20, // the default depends on the number of cores
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer:                   func(ctx context.Context, _, _ string) (net.Conn, error) { return p.dial(ctx) },
	})
	return p
}

// dial opens a connection to Redis: client, latency, toxics, Redis, and back.
// Toxics come after the latency in either direction: they may split or join
// messages, and the number of latencies drawn must not depend on that.
func (p *process) dial(ctx context.Context) (net.Conn, error) {
	p.Stop.Pass()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !p.Alive() {
		return nil, errDead
	}
	n := p.dialed.Add(1)
	id := fmt.Sprintf("%s#%d", p.Name, n)
	up, down := p.slots(n)
	near := memnet.End{Send: p.latency(id + " up"), Slot: up}
	far := memnet.End{Send: p.latency(id + " down"), Slot: down}
	if p.redis.down.Load() {
		return refused(ctx, near, far)
	}
	c := p.redis.accept(p.Name, id)
	near.Ready, far.OnWrite, far.Prefix = p.Stop.Pass, c.replied, c.hello()
	if p.toxics == nil {
		c.near, c.far = memnet.Pipe(near, far)
	} else {
		var outer, inner *memnet.Conn
		c.near, outer = memnet.Pipe(near, memnet.End{})
		inner, c.far = memnet.Pipe(memnet.End{}, far)
		if err := p.toxics.join(c, outer, inner); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	p.conns = append(p.conns, c)
	p.mu.Unlock()
	p.redis.mini.Mini.Server().ServeConn(c.far)
	return c.near, nil
}

// refused is a dial to a machine on which nothing listens: the answer takes as long
// as there and back.
func refused(ctx context.Context, up, down memnet.End) (net.Conn, error) {
	near, far := memnet.Pipe(up, down)
	b := []byte{0}
	// Errors of either end are the refusal.
	_, _ = near.Write(b)
	_, _ = far.Read(b)
	_ = far.Close()
	_, _ = near.Read(b)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED)
}

// slots returns the memnet slots of a connection's two directions. They are unique
// up to 64 clients with 32 open connections each.
func (p *process) slots(dialed int64) (up, down int64) {
	up = int64(p.place%64) + 64*(dialed%32*2)
	return up, up + 64
}

// latency makes the source of latencies of one direction.
func (p *process) latency(direction string) memnet.Latency {
	r := engine.Generator(p.seed, "latency "+direction)
	return func() time.Duration { return engine.Draw(r, p.scenario.Network) }
}

// takeConns returns all connections and forgets them.
func (p *process) takeConns() []*conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	conns := p.conns
	p.conns = nil
	return conns
}

// reset cuts all connections and returns how many were open.
func (p *process) reset() (open int) {
	for _, c := range p.takeConns() {
		if c.reset() {
			open++
		}
	}
	return open
}

// crash ends the process: the kernel closes its sockets, its code no longer runs.
func (p *process) crash() {
	p.MarkDead()
	p.mu.Lock()
	conns := p.conns
	p.mu.Unlock()
	for _, c := range conns {
		_ = c.near.Close()
	}
	_ = p.rdb.Close()
}
