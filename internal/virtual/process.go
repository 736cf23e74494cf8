package virtual

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/virtual/memnet"
)

// errDead is what a crashed process's network answers.
var errDead = errors.New("process is dead")

// unreachable is the address of Redis that clients are told. A connection to it
// exists only through the client's own dialer: no TCP stack opens one to a
// broadcast address (RFC 1122, 4.2.3.10), so that a library which dials by itself
// gets an error at once, and never reaches a server that happens to run. It is
// numeric, since a name would be looked up.
const unreachable = "255.255.255.255:6379"

// process is one simulated client: its sockets, its pool, its life.
type process struct {
	*engine.Life
	place  int // among the clients
	w      *world
	rdb    *redis.Client
	toxics *toxicLinks // nil where the scenario has no toxic

	mu     sync.Mutex
	dialed int
	conns  []*pair
}

// pair is the two ends of one connection to Redis.
type pair struct {
	client *memnet.Conn // the client's end
	server *memnet.Conn // Redis's end
}

// reset cuts the connection and reports whether it was open.
func (c *pair) reset() {
	c.client.Reset()
	c.server.Reset()
}

func newProcess(w *world, name string) *process {
	p := &process{
		Life:  engine.NewLife(name),
		place: len(w.clients),
		w:     w,
	}
	if w.needsToxics {
		p.toxics = newToxicLinks(w.seed)
	}
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
// Toxics come after the latency in either direction: they may cut a message in
// pieces or join several, and the number of draws must not depend on that.
func (p *process) dial(ctx context.Context) (net.Conn, error) {
	p.Stop.Pass()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !p.Alive() {
		return nil, errDead
	}
	p.mu.Lock()
	p.dialed++
	id := fmt.Sprintf("%s#%d", p.Name, p.dialed)
	up, down := p.slots(p.dialed)
	p.mu.Unlock()

	if p.w.redis.isDown() {
		return refused(ctx, memnet.End{Send: p.latency(id + " up"), Slot: up}, memnet.End{Send: p.latency(id + " down"), Slot: down})
	}
	pr := &pair{}
	peer := p.w.redis.accept(p.Name, id, pr.reset)
	near := memnet.End{Ready: p.Stop.Pass, Send: p.latency(id + " up"), Slot: up}
	far := memnet.End{OnWrite: peer.replied, Prefix: peer.hello(), Send: p.latency(id + " down"), Slot: down}
	if p.toxics == nil {
		pr.client, pr.server = memnet.Pipe(near, far)
	} else {
		var outer, inner *memnet.Conn
		pr.client, outer = memnet.Pipe(near, memnet.End{})
		inner, pr.server = memnet.Pipe(memnet.End{}, far)
		if err := p.toxics.join(id, pr, outer, inner); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	p.conns = append(p.conns, pr)
	p.mu.Unlock()
	p.w.redis.serve(pr.server)
	return pr.client, nil
}

// hasDialed reports whether the lock has ever asked for a connection.
func (p *process) hasDialed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialed > 0
}

// slots are the instants of a connection's two directions: its own, unless a
// client has more than 32 connections open, or there are more than 64 clients.
func (p *process) slots(dialed int) (up, down int64) {
	up = int64(p.place%64) + 64*int64(dialed%32*2)
	return up, up + 64
}

// latency makes a direction's own source of latencies.
func (p *process) latency(direction string) memnet.Latency {
	r := engine.Generator(p.w.seed, "latency "+direction)
	return func() time.Duration { return engine.Travel(r, p.w.scenario) }
}

// reset cuts all connections and returns how many were open.
func (p *process) reset() int {
	p.mu.Lock()
	conns := p.conns
	p.conns = nil
	p.mu.Unlock()
	n := 0
	for _, c := range conns {
		if c.client.Reset() {
			n++
		}
		c.server.Reset()
	}
	return n
}

// crash ends the process: the kernel closes its sockets, its code runs no more.
func (p *process) crash() {
	p.Bury()
	p.mu.Lock()
	conns := p.conns
	p.mu.Unlock()
	for _, c := range conns {
		_ = c.client.Close()
	}
	_ = p.rdb.Close()
}
