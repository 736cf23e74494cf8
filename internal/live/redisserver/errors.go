package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Why a server cannot be used. Nothing in it has been touched.
var (
	// ErrSpec: the text does not name a server.
	ErrSpec = errors.New("no such redis server")
	// ErrServerMissing: there is no redis-server in $PATH.
	ErrServerMissing = errors.New("redis-server is not in $PATH")
	// ErrServerPort: the port is in use.
	ErrServerPort = errors.New("port is taken")
	// ErrServerStart: redis-server started and did not come up.
	ErrServerStart = errors.New("redis-server does not start")
	// ErrServerPassword: a password is wrong, needed or not expected, or what
	// it allows is not enough.
	ErrServerPassword = errors.New("redis server refuses us")
	// ErrServerOld: the server is older than the oldest that we use.
	ErrServerOld = errors.New("redis server is too old")
	// ErrServerReplica: the server is a replica, which takes no writes.
	ErrServerReplica = errors.New("redis server is a replica")
	// ErrServerWrites: the server refuses to write.
	ErrServerWrites = errors.New("redis server takes no writes")
	// ErrServerUnreachable: nothing at the address answers as Redis does.
	ErrServerUnreachable = errors.New("redis server does not answer")
	// ErrServerForeign: the server holds keys that are not ours.
	ErrServerForeign = errors.New("redis server holds keys of others")
	// ErrDown: the server was stopped, and not started since.
	ErrDown = errors.New("redis server is down")
	// ErrNoReplica: there is no replica that could take the server's place.
	ErrNoReplica = errors.New("redis server has no replica in step")
	// ErrClosed: the server was closed.
	ErrClosed = errors.New("redis server is closed")
)

// explain turns what a connection to addr met with into one of the errors above.
func explain(addr string, err error) error {
	text := oneLine(err)
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("redis server %s: %w", addr, context.Canceled)
	case has("WRONGPASS", "ERR invalid password"):
		return fmt.Errorf("%w: %s: the password is wrong; give another: redis://:password@%s", ErrServerPassword, addr, addr)
	case has("NOAUTH"):
		return fmt.Errorf("%w: %s: it wants a password: redis://:password@%s", ErrServerPassword, addr, addr)
	case has("ERR AUTH", "ERR Client sent AUTH"):
		return fmt.Errorf("%w: %s: it has no password, and one was given; leave it out", ErrServerPassword, addr)
	case has("NOPERM"):
		return fmt.Errorf("%w: %s: %s", ErrServerPassword, addr, text)
	case has("DENIED"):
		return fmt.Errorf("%w: %s: it is in protected mode and wants a password", ErrServerPassword, addr)
	}
	remedy := "; is that the port of a Redis?"
	var dial *net.OpError
	var reply redis.Error
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		text = oneLine(dial.Err)
		remedy = "; start it, or do without it: -redis " + Miniredis
	case errors.As(err, &reply): // a Redis, and its own words
		remedy = ""
	}
	return fmt.Errorf("%w: %s: %s%s", ErrServerUnreachable, addr, text, remedy)
}

// oneLine is what err says, on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
