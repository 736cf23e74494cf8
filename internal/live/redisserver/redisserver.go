// Package redisserver opens the Redis server of a live run: an embedded
// miniredis, a redis-server process started for the run, or a server that is
// already running.
//
// Goals: clients cannot tell the three apart; the clock can be stepped, and the
// server restarted (keeping or losing its data) or failed over, where the server
// allows it; an unusable server is refused in one clear line before a run
// touches it; nothing remains of a server started here, and nothing but the
// run's own keys is ever removed from any other.
// Non-goals: watching keys (see package tap), clusters, TLS, and moving the TIME
// that a real server reports: see [Server.JumpClock].
//
// Types and errors are in this file; client.go and keys.go are what the servers
// share; node.go runs one redis-server process; embedded.go, spawned.go and
// external.go are the three servers; open.go chooses one and lets one call at a
// time change it.
package redisserver

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/proc"
)

// The specs of the servers that [Open] starts.
const (
	Miniredis   = "miniredis"
	RedisServer = "redis-server"
)

// Reasons why a server cannot be used.
var (
	// ErrSpec: the spec names no server.
	ErrSpec = errors.New("no such redis server")
	// ErrServerMissing: there is no redis-server in $PATH.
	ErrServerMissing = errors.New("redis-server is not in $PATH")
	// ErrServerPort: the port is in use.
	ErrServerPort = errors.New("port is taken")
	// ErrServerStart: redis-server was started and did not come up.
	ErrServerStart = errors.New("redis-server does not start")
	// ErrServerPassword: a password is wrong, missing or unexpected, or the user
	// lacks a permission.
	ErrServerPassword = errors.New("redis server refuses access")
	// ErrServerOld: the server is older than the oldest supported version.
	ErrServerOld = errors.New("redis server is too old")
	// ErrServerReplica: the server is a replica, which accepts no writes.
	ErrServerReplica = errors.New("redis server is a replica")
	// ErrServerWrites: the server rejects writes.
	ErrServerWrites = errors.New("redis server accepts no writes")
	// ErrServerUnreachable: nothing at the address answers as Redis does.
	ErrServerUnreachable = errors.New("redis server does not answer")
	// ErrServerForeign: the server holds keys that simrun did not write.
	ErrServerForeign = errors.New("redis server holds other keys")
	// ErrDown: the server was stopped and has not been started again.
	ErrDown = errors.New("redis server is down")
	// ErrNoReplica: no replica is ready to take the server's place.
	ErrNoReplica = errors.New("redis server has no replica in step")
	// ErrClosed: the server was closed.
	ErrClosed = errors.New("redis server is closed")

	errReplicated = errors.New("it has a replica")
)

// Options configure [Open].
type Options struct {
	// Shared permits a running server that holds keys simrun did not write.
	Shared bool
	// Reaper is told of the processes and directories of a server started
	// here. It may be nil.
	Reaper *proc.Reaper
}

// Server is an open Redis server. Its methods may be called from any goroutine.
type Server interface {
	// Addr is the address to connect to, host:port. A failover may change it,
	// so ask for it again before each connection.
	Addr() string
	// Version is the product and its version, such as "redis-server 7.0.15".
	Version() string
	// Prefix begins every key of this run. It is empty on a server started here,
	// where every key belongs to the run.
	Prefix() string
	// Options are for an admin connection of the caller's: the password and a
	// dialer that follows Addr.
	Options() *redis.Options
	// JumpClock steps the server's clock by d and reports the effect. A real
	// server's clock cannot be stepped, but Redis stores expiry as an absolute
	// time, so moving the expiry of each key under Prefix by -d looks the same
	// to everyone who reads the keys. The TIME it reports and the expiry of
	// single hash fields do not move.
	JumpClock(ctx context.Context, d time.Duration) (proof string, err error)
	// SetRate makes the server's clock run at rate times real speed until
	// restore is called. A real server cannot: chaos.ErrUnsupported.
	SetRate(rate float64) (restore func(), proof string, err error)
	// Stop ends the server, keeping or losing its data, and reports how it
	// ended. All connections, subscriptions and loaded scripts are lost, and new
	// connections are refused or closed at once until Start brings it back at
	// the same address. A server not started here: chaos.ErrUnsupported.
	Stop(ctx context.Context, keepData bool) (proof string, err error)
	Start(ctx context.Context) (proof string, err error)
	// Replicate gives the server a replica that lags behind in real time, and
	// returns once it has caught up. An embedded server has no process for a
	// replica and makes no link. A server not started here: chaos.ErrUnsupported.
	Replicate(ctx context.Context, lag time.Duration, link Linker) error
	// Promote kills the server, which ends all its connections, and puts its
	// replica in its place. The new primary has no replica at first. It fails
	// with ErrNoReplica if there is none. A server not started here:
	// chaos.ErrUnsupported.
	Promote(ctx context.Context) (proof string, err error)
	// Close ends the server, or removes the run's keys from one that was not
	// started here. It takes a few seconds at most.
	Close() error
}

// Link is a replica's connection to its primary, which can be made slow: data in
// flight when the primary dies never arrives.
type Link interface {
	// Addr is where the replica connects to.
	Addr() string
	// Delay holds back what the primary sends by lag and reports how that was
	// verified.
	Delay(lag time.Duration) (proof string, err error)
	Close() error
}

// Linker makes the link to the primary at upstream.
type Linker func(upstream string) (Link, error)

// kept names what a restart did to the data.
func kept(keep bool) string {
	if keep {
		return "kept"
	}
	return "lost"
}
