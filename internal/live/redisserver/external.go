package redisserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/chaos"
)

// external is a server that was not started by simrun: only the run's own keys may be
// changed.
type external struct {
	realServer
	opt redis.Options
}

func openExternal(ctx context.Context, spec string, o Options) (Server, error) {
	opt, err := parse(spec)
	if err != nil {
		return nil, err
	}
	var random [6]byte
	rand.Read(random[:]) // never fails
	s := &external{opt: *opt}
	s.prefix = fmt.Sprintf("%s%x:", Root, random)
	if err := s.examine(ctx, o.Shared); err != nil {
		return nil, err
	}
	s.admin = redis.NewClient(s.Options())
	return s, nil
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

// examine returns an error if the server may not be used, and notes its version.
// It only reads, except for a final write and delete of one of the run's keys.
func (s *external) examine(ctx context.Context, shared bool) error {
	addr := s.opt.Addr
	if err := checkListening(ctx, addr); err != nil {
		return explain(addr, err)
	}
	rdb := dialOnce(s.opt)
	defer func() { _ = rdb.Close() }()
	err := rdb.Ping(ctx).Err()
	if err == nil && s.opt.Password != "" {
		// go-redis ignores the error of a server that has no password; other
		// clients fail on it.
		err = rdb.Do(ctx, "auth", s.opt.Password).Err()
	}
	if err != nil {
		return explain(addr, err)
	}
	about, err := ask(ctx, rdb)
	if err != nil {
		return explain(addr, err)
	}
	if err := about.checkVersion(addr); err != nil {
		return err
	}
	s.version = about.product()
	if about["role"] == "slave" {
		return fmt.Errorf("%w: %s: it accepts no writes; its primary is %s:%s", ErrServerReplica, addr, about["master_host"], about["master_port"])
	}
	if !shared {
		if err := checkForeign(ctx, rdb, about); err != nil {
			return err
		}
	}
	return s.checkWrites(ctx, rdb)
}

// probeLife is how long the key of checkWrites lives if it cannot be deleted.
const probeLife = time.Second

// checkWrites returns an error if the server accepts no writes, as a cluster
// without slots or a primary without its replicas does not.
func (s *external) checkWrites(ctx context.Context, rdb *redis.Client) error {
	key := s.prefix + "trial"
	err := rdb.Set(ctx, key, "x", probeLife).Err()
	if err == nil {
		err = rdb.Del(ctx, key).Err()
	}
	var reply redis.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &reply) && !redis.HasErrorPrefix(err, "NOPERM"):
		return fmt.Errorf("%w: %s: %s", ErrServerWrites, s.opt.Addr, oneLine(err))
	}
	return explain(s.opt.Addr, err)
}

func (s *external) Addr() string            { return s.opt.Addr }
func (s *external) Options() *redis.Options { opt := s.opt; return &opt }

// unsupported is the error of everything that would end the server.
func (s *external) unsupported() error {
	return fmt.Errorf("%s was not started by simrun: %w", s.opt.Addr, chaos.ErrUnsupported)
}

func (s *external) Stop(context.Context, bool) (string, error) { return "", s.unsupported() }
func (s *external) Start(context.Context) (string, error)      { return "", s.unsupported() }
func (s *external) Promote(context.Context) (string, error)    { return "", s.unsupported() }
func (s *external) Replicate(context.Context, time.Duration, Linker) error {
	return s.unsupported()
}

// Close removes the run's keys.
func (s *external) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	return errors.Join(remove(ctx, s.admin, s.prefix), s.admin.Close())
}
