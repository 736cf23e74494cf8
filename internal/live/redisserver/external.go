package redisserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/chaos"
)

// external is a server that was not started here: only the run's own keys may be
// changed.
type external struct {
	opt     redis.Options
	prefix  string
	admin   *redis.Client
	version string
}

func openExternal(ctx context.Context, opt *redis.Options, o Options) (Server, error) {
	var random [6]byte
	rand.Read(random[:]) // never fails
	s := &external{opt: *opt, prefix: Root + hex.EncodeToString(random[:]) + ":"}
	if err := s.examine(ctx, o.Shared); err != nil {
		return nil, err
	}
	s.admin = redis.NewClient(s.Options())
	return s, nil
}

// examine returns an error if the server may not be used, and notes its version.
// It reads only, except that it finally writes and deletes one key of the run's.
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
	about, err := ask(ctx, rdb, "server")
	if err != nil {
		return explain(addr, err)
	}
	if err := about.checkVersion(addr); err != nil {
		return err
	}
	s.version = about.product()
	role, err := ask(ctx, rdb, "replication")
	if err != nil {
		return explain(addr, err)
	}
	if role["role"] == "slave" {
		return fmt.Errorf("%w: %s: it accepts no writes; its primary is %s:%s", ErrServerReplica, addr, role["master_host"], role["master_port"])
	}
	if !shared {
		if err := checkForeign(ctx, rdb); err != nil {
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
func (s *external) Version() string         { return s.version }
func (s *external) Prefix() string          { return s.prefix }
func (s *external) Options() *redis.Options { opt := s.opt; return &opt }

// JumpClock moves the expiry of the run's keys.
func (s *external) JumpClock(ctx context.Context, d time.Duration) (string, error) {
	return shift(ctx, s.admin, s.prefix, d)
}

// SetRate is not supported: a real server's clock is the machine's.
func (s *external) SetRate(float64) (func(), string, error) { return noRate(s) }

func noRate(s Server) (func(), string, error) {
	return nil, "", fmt.Errorf("rate of the clock of %s: %w", s.Version(), chaos.ErrUnsupported)
}

// unsupported is the error of everything that would end the server.
func (s *external) unsupported(what string) error {
	return fmt.Errorf("%s %s at %s, which was not started here: %w", what, s.version, s.opt.Addr, chaos.ErrUnsupported)
}

// Stop is not supported.
func (s *external) Stop(context.Context, bool) (string, error) { return "", s.unsupported("stop") }

// Start is not supported.
func (s *external) Start(context.Context) (string, error) { return "", s.unsupported("start") }

// Replicate is not supported.
func (s *external) Replicate(context.Context, Replication) error { return s.unsupported("replicate") }

// Promote is not supported.
func (s *external) Promote(context.Context) (string, error) { return "", s.unsupported("fail over") }

// Close removes the run's keys.
func (s *external) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	if err := errors.Join(remove(ctx, s.admin, s.prefix), s.admin.Close()); err != nil {
		return fmt.Errorf("close redis server %s: %w", s.opt.Addr, err)
	}
	return nil
}
