package redisserver

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Open opens the server that spec names: "miniredis", "redis-server",
// "host:port" or "redis://:password@host:port". ctx bounds the opening only. Its
// errors are one line each and can be told apart: see [ErrSpec] and the others.
func Open(ctx context.Context, spec string, o Options) (Server, error) {
	switch spec {
	case Miniredis:
		return openEmbedded()
	case RedisServer:
		return openSpawned(ctx, o)
	}
	opt, err := parse(spec)
	if err != nil {
		return nil, err
	}
	return openExternal(ctx, opt, o)
}

// parse reads the address of a running server. Its errors never contain a
// password.
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
		if opt.Username == "default" { // the user that a bare password implies
			opt.Username = ""
		}
		if opt.Username != "" || opt.DB != 0 {
			return nil, fmt.Errorf("%w: redis://%s: no user or database can be chosen, as workers are told of neither: redis://:password@host:port",
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

// Redacted is a spec without its user and password: everything before the last @
// except the scheme.
func Redacted(spec string) string {
	at := strings.LastIndex(spec, "@")
	if at < 0 {
		return spec
	}
	scheme, _, isURL := strings.Cut(spec[:at], "://")
	if isURL && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz") == "" {
		return scheme + "://…" + spec[at:]
	}
	return "…" + spec[at:]
}
