package redisserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/chaos"
)

// external is a server that we did not start and must not change beyond our keys.
type external struct {
	o       Options
	opt     *redis.Options
	admin   *redis.Client
	version string
}

func openExternal(ctx context.Context, opt *redis.Options, o Options) (Server, error) {
	if o.Prefix == "" {
		var b [6]byte
		rand.Read(b[:]) // never fails
		o.Prefix = Root + hex.EncodeToString(b[:]) + ":"
	}
	version, err := examine(ctx, opt, o)
	if err != nil {
		return nil, err
	}
	o.log("%s on %s, our keys under %s", version, opt.Addr, o.Prefix)
	return &external{o: o, opt: opt, admin: redis.NewClient(copied(opt)), version: version}, nil
}

// examine reports whether the server may be used, and its version. It only reads,
// but for one key of ours, and only where nothing else is amiss.
func examine(ctx context.Context, opt *redis.Options, o Options) (version string, err error) {
	if err := listens(ctx, opt.Addr); err != nil {
		return "", explain(opt.Addr, err)
	}
	rdb := redis.NewClient(once(opt))
	defer func() { _ = rdb.Close() }()
	if err := rdb.Ping(ctx).Err(); err != nil {
		return "", explain(opt.Addr, err)
	}
	if err := authentic(ctx, rdb, opt); err != nil {
		return "", explain(opt.Addr, err)
	}
	about, err := ask(ctx, rdb, "server")
	if err != nil {
		return "", explain(opt.Addr, err)
	}
	if err := about.fit(opt.Addr); err != nil {
		return "", err
	}
	role, err := ask(ctx, rdb, "replication")
	if err != nil {
		return "", explain(opt.Addr, err)
	}
	if role["role"] == "slave" {
		return "", fmt.Errorf("%w: %s: it takes no writes; its primary is %s:%s", ErrServerReplica, opt.Addr, role["master_host"], role["master_port"])
	}
	if !o.Shared {
		if err := foreign(ctx, rdb, o.Prefix); err != nil {
			return "", err
		}
	}
	if err := writes(ctx, rdb, o.Prefix); err != nil {
		return "", err
	}
	return about.product(), nil
}

// trialLife is how long the key of a trial lives, should it not be deleted.
const trialLife = time.Second

// writes reports whether the server lets us write: many a server that answers
// does not, such as a cluster without slots or a primary without its replicas.
func writes(ctx context.Context, rdb *redis.Client, prefix string) error {
	key := prefix + "trial"
	err := rdb.Set(ctx, key, "x", trialLife).Err()
	if err == nil {
		err = rdb.Del(ctx, key).Err()
	}
	var reply redis.Error
	if addr := rdb.Options().Addr; errors.As(err, &reply) && !redis.HasErrorPrefix(err, "NOPERM") {
		return fmt.Errorf("%w: %s: %s", ErrServerWrites, addr, oneLine(err))
	} else if err != nil {
		return explain(addr, err)
	}
	return nil
}

// listens reports whether there is anything at addr. It is asked first because
// go-redis tells the standard error of each dial that fails.
func listens(ctx context.Context, addr string) error {
	d := net.Dialer{Timeout: adminTimeout}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}

// authentic sends a password that was given once more: go-redis lets a server
// that has none pass, other clients do not.
func authentic(ctx context.Context, rdb *redis.Client, opt *redis.Options) error {
	if opt.Password == "" {
		return nil
	}
	return rdb.Do(ctx, "auth", opt.Password).Err()
}

func (s *external) Addr() string            { return s.opt.Addr }
func (s *external) Version() string         { return s.version }
func (s *external) Prefix() string          { return s.o.Prefix }
func (s *external) Options() *redis.Options { return copied(s.opt) }

// JumpClock moves the expiry of our keys.
func (s *external) JumpClock(ctx context.Context, d time.Duration) (string, error) {
	return shift(ctx, s.admin, s.o.Prefix, d)
}

// SetRate is not supported: a real server's clock is the machine's.
func (s *external) SetRate(float64) (func(), string, error) { return noRate(s) }

func noRate(s Server) (func(), string, error) {
	return nil, "", fmt.Errorf("rate of the clock of %s: %w", s.Version(), chaos.ErrUnsupported)
}

// foreign: what would end the server is not supported, as it is not ours.
func (s *external) foreign(what string) error {
	return fmt.Errorf("%s %s at %s, which was not started here: %w", what, s.version, s.opt.Addr, chaos.ErrUnsupported)
}

// Stop is not supported.
func (s *external) Stop(context.Context, bool) (string, error) { return "", s.foreign("stop") }

// Start is not supported.
func (s *external) Start(context.Context) (string, error) { return "", s.foreign("start") }

// Replicate is not supported.
func (s *external) Replicate(context.Context, Replication) error { return s.foreign("replicate") }

// Promote is not supported.
func (s *external) Promote(context.Context) (string, error) { return "", s.foreign("fail over") }

// Close removes our keys.
func (s *external) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	n, err := remove(ctx, s.admin, s.o.Prefix)
	if err == nil {
		s.o.log("%d keys under %s removed from %s", n, s.o.Prefix, s.opt.Addr)
	}
	if cerr := s.admin.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("close redis server %s: %w", s.opt.Addr, err)
	}
	return nil
}

// chunks cuts keys into parts that one command can name.
func chunks(keys []string) iter.Seq[[]string] { return slices.Chunk(keys, batch) }
