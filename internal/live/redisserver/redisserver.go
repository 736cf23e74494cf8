// Package redisserver opens the Redis server of a live run: an embedded miniredis, a
// redis-server started for the run, or one that already runs.
//
// Goals: the three behave alike to who connects; a clock that can be stepped, a
// restart with or without data and a failover where the server allows it; a server that
// cannot be used is refused before a run touches it, in one clear line;
// nothing of a server that we started is left behind, and nothing but our own
// keys is ever removed from one that we did not.
// Non-goals: reading or watching keys (package tap and its owner), clusters,
// TLS, and moving the TIME that a real server tells: see [Server.JumpClock].
package redisserver

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/proc"
)

// The specs that name a server of our own.
const (
	Miniredis   = "miniredis"
	RedisServer = "redis-server"
)

// Options say how a server is opened.
type Options struct {
	// Prefix is what all our keys begin with. Empty: a random one on a server
	// that we did not start, none on one that we did, where every key is ours.
	Prefix string
	// Shared allows a server, not started by us, that holds keys of others.
	Shared bool
	// Port is the port of a server of our own on the loopback interface.
	// 0: a free one.
	Port int
	// Reaper is given the process and the directory of a server that we
	// start. It may be nil.
	Reaper *proc.Reaper
	// Log takes one line about what a server does. It may be nil.
	Log func(line string)
}

func (o Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// Server is an open Redis server. Its methods may be called from any goroutine.
type Server interface {
	// Addr is the address to connect to, host:port.
	Addr() string
	// Version is the product and its version, as in "redis-server 7.0.15".
	Version() string
	// Prefix is what every key of this run begins with.
	Prefix() string
	// Options are for an admin connection of the caller's own: address,
	// password, database.
	Options() *redis.Options
	// JumpClock steps the server's clock by d and says what that did. A real
	// server's clock cannot be stepped, but it keeps expiry as a time of day,
	// so the expiry of each key under Prefix is moved by -d, which is the same
	// to whoever looks at the keys. The TIME that it tells, and the expiry of
	// a hash's single fields, do not move.
	JumpClock(ctx context.Context, d time.Duration) (proof string, err error)
	// SetRate lets the server's clock run at rate times real speed until
	// restore. A real server cannot: chaos.ErrUnsupported.
	SetRate(rate float64) (restore func(), proof string, err error)
	// Stop ends the server, its data kept or lost, and says how it ended. All
	// connections, subscriptions and loaded scripts are lost, and connections
	// are refused, or end at once, until Start starts it again on the same
	// address. One that we did not start: chaos.ErrUnsupported.
	Stop(ctx context.Context, keepData bool) (proof string, err error)
	Start(ctx context.Context) (proof string, err error)
	// Replicate gives the server a replica that lags behind, and returns when it
	// follows. One that we did not start: chaos.ErrUnsupported.
	Replicate(ctx context.Context, asked Replication) error
	// Promote kills the server, which ends all connections, and lets its replica
	// take its place at the same address; that one has no replica at first. It
	// fails with ErrNoReplica where there is none. One that we did not start:
	// chaos.ErrUnsupported.
	Promote(ctx context.Context) (proof string, err error)
	// Close ends the server, or removes our keys from one that we did not
	// start. It does not wait longer than some seconds.
	Close() error
}

// Open opens the server that spec names: "miniredis", "redis-server",
// "host:port" or "redis://:password@host:port". ctx bounds the opening
// alone. Its errors are one line each and can be told apart: see [ErrSpec] and
// those beside it.
func Open(ctx context.Context, spec string, o Options) (Server, error) {
	switch spec {
	case Miniredis:
		return openEmbedded(o)
	case RedisServer:
		return openSpawned(ctx, o)
	}
	opt, err := parse(spec)
	if err != nil {
		return nil, err
	}
	return openExternal(ctx, opt, o)
}

// parse reads the address of a server that already runs. What it says never
// holds a password.
func parse(spec string) (*redis.Options, error) {
	const want = "not miniredis, redis-server, host:port or redis://:password@host:port"
	scheme, rest, isURL := strings.Cut(Redacted(spec), "://")
	if isURL {
		if scheme != "redis" {
			return nil, fmt.Errorf("%w: %s://%s: %s", ErrSpec, scheme, rest, want)
		}
		opt, err := redis.ParseURL(spec)
		if err != nil {
			return nil, fmt.Errorf("%w: redis://%s: %s", ErrSpec, rest, want)
		}
		if opt.Username == "default" { // whom a password alone stands for
			opt.Username = ""
		}
		if opt.Username != "" || opt.DB != 0 {
			return nil, fmt.Errorf("%w: redis://%s: a user or a database cannot be chosen, as a worker is told of neither: redis://:password@host:port",
				ErrSpec, rest)
		}
		return quiet(opt), nil
	}
	host, port, err := net.SplitHostPort(spec)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 1 || n > 65535 || strings.Contains(host, "@") {
		return nil, fmt.Errorf("%w: %q: %s", ErrSpec, Redacted(spec), want)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return quiet(&redis.Options{Addr: net.JoinHostPort(host, port)}), nil
}

// Redacted is a spec without its user and password, which is all before the last
// @, but for a scheme.
func Redacted(spec string) string {
	at := strings.LastIndex(spec, "@")
	if at < 0 {
		return spec
	}
	scheme, _, isURL := strings.Cut(spec[:at], "://")
	if isURL && letters(scheme) {
		return scheme + "://…" + spec[at:]
	}
	return "…" + spec[at:]
}

func letters(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// adminTimeout bounds one admin command, and one try to connect.
const adminTimeout = 3 * time.Second

// quiet sets up a connection that sends nothing but what it is told to.
func quiet(opt *redis.Options) *redis.Options {
	opt.Protocol = 2
	opt.DisableIdentity = true
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	opt.DialTimeout = adminTimeout
	opt.ReadTimeout = adminTimeout
	opt.WriteTimeout = adminTimeout
	opt.DialerRetries = 1
	return opt
}

// once is opt for a connection that tries everything one time only.
func once(opt *redis.Options) *redis.Options {
	c := *opt
	c.MaxRetries = -1
	return &c
}

// copied keeps a caller from changing what we use ourselves.
func copied(opt *redis.Options) *redis.Options {
	c := *opt
	return &c
}
