package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// adminTimeout bounds one admin command, and one attempt to connect.
const adminTimeout = 3 * time.Second

// quiet configures opt to send nothing but the commands it is given.
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

// dialOnce makes a client that never retries. Options are copied.
func dialOnce(opt redis.Options) *redis.Client {
	opt.MaxRetries = -1
	return redis.NewClient(&opt)
}

// checkListening dials addr. Callers do this before using go-redis, which writes
// every failed dial to standard error.
func checkListening(ctx context.Context, addr string) error {
	d := net.Dialer{Timeout: adminTimeout}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}

// explain turns an error of a connection to addr into one of the errors of this
// package, with a remedy.
func explain(addr string, err error) error {
	text := oneLine(err)
	begins := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("redis server %s: %w", addr, context.Canceled)
	case begins("WRONGPASS", "ERR invalid password"):
		return fmt.Errorf("%w: %s: the password is wrong; give another: redis://:password@%s", ErrServerPassword, addr, addr)
	case begins("NOAUTH"):
		return fmt.Errorf("%w: %s: it needs a password: redis://:password@%s", ErrServerPassword, addr, addr)
	case begins("ERR AUTH", "ERR Client sent AUTH"):
		return fmt.Errorf("%w: %s: it has no password, and one was given; leave it out", ErrServerPassword, addr)
	case begins("NOPERM"):
		return fmt.Errorf("%w: %s: %s", ErrServerPassword, addr, text)
	case begins("DENIED"):
		return fmt.Errorf("%w: %s: it is in protected mode and needs a password", ErrServerPassword, addr)
	}
	remedy := "; is that the port of a Redis?"
	var dial *net.OpError
	var reply redis.Error
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		text = oneLine(dial.Err)
		remedy = "; start it, or do without it: -redis " + Miniredis
	case errors.As(err, &reply): // a Redis, in its own words
		remedy = ""
	}
	return fmt.Errorf("%w: %s: %s%s", ErrServerUnreachable, addr, text, remedy)
}

// oneLine is the text of err on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// oldest is the oldest supported major version of Redis: the first whose scripts
// may write after asking for the time.
const oldest = 5

// info is what a server's INFO says.
type info map[string]string

func ask(ctx context.Context, rdb *redis.Client) (info, error) {
	text, err := rdb.Info(ctx).Result()
	if err != nil {
		return nil, err
	}
	got := info{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			got[k] = v
		}
	}
	return got, nil
}

// product is the server's name and version.
func (i info) product() string {
	if v := i["valkey_version"]; v != "" {
		return "valkey " + v
	}
	return "redis-server " + i["redis_version"]
}

// checkVersion returns an error if the server at addr is too old.
func (i info) checkVersion(addr string) error {
	version := i["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return fmt.Errorf("%w: %s: it does not report its version", ErrServerUnreachable, addr)
	}
	if n < oldest {
		return fmt.Errorf("%w: %s is Redis %s, the oldest that works is %d; or do without it: -redis miniredis", ErrServerOld, addr, version, oldest)
	}
	return nil
}
