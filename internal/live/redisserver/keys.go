package redisserver

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/chaos"
)

// Root begins every random prefix, so that keys left behind by a killed run are
// recognized as simrun's.
const Root = "simrun:"

// batch is how many keys one command names at most.
const batch = 1000

//go:embed shift.lua
var shiftSource string

var shiftScript = redis.NewScript(shiftSource)

// realServer is what every server but an embedded one has in common.
type realServer struct {
	admin   *redis.Client
	version string
	prefix  string // of the run's keys
}

func (s *realServer) Version() string { return s.version }
func (s *realServer) Prefix() string  { return s.prefix }

// JumpClock moves the expiry of the run's keys.
func (s *realServer) JumpClock(ctx context.Context, d time.Duration) (string, error) {
	return shift(ctx, s.admin, s.prefix, d)
}

// SetRate is not supported: a real server's clock is the machine's.
func (s *realServer) SetRate(float64) (func(), string, error) {
	return nil, "", fmt.Errorf("rate of the clock of %s: %w", s.version, chaos.ErrUnsupported)
}

// shift does to the keys under prefix what stepping the clock by d would do. A
// key created after the scan counts as created after the step.
func shift(ctx context.Context, rdb *redis.Client, prefix string, d time.Duration) (string, error) {
	keys, err := under(ctx, rdb, prefix)
	if err != nil {
		return "", fmt.Errorf("step the clock: %w", err)
	}
	var moved, gone int64
	for part := range slices.Chunk(keys, batch) {
		n, err := shiftScript.Run(ctx, rdb, part, -d.Milliseconds()).Int64Slice()
		if err != nil || len(n) != 2 {
			return "", fmt.Errorf("step the clock: move expiry of %d keys: got %v: %w", len(part), n, err)
		}
		moved += n[0]
		gone += n[1]
	}
	return fmt.Sprintf("clock stepped by %v of real time: the expiry of %d of %d keys was moved, and %d of them expired", d.Round(time.Millisecond), moved, len(keys), gone), nil
}

// under returns the run's keys, each once: those with the prefix, and those that
// a lock keeps beside its key, which contain it in braces.
func under(ctx context.Context, rdb *redis.Client, prefix string) ([]string, error) {
	keys := map[string]bool{}
	found := rdb.Scan(ctx, 0, "*"+prefix+"*", batch).Iterator()
	for found.Next(ctx) {
		if k := found.Val(); below(k, prefix) {
			keys[k] = true
		}
	}
	if err := found.Err(); err != nil {
		return nil, fmt.Errorf("find the keys under %q: %w", prefix, err)
	}
	return slices.Sorted(maps.Keys(keys)), nil
}

// below reports whether a key has the prefix, or contains in braces a key that
// does, as in {prefix:lock:item}:fence.
func below(key, prefix string) bool {
	return strings.HasPrefix(key, prefix) || strings.Contains(key, "{"+prefix)
}

// remove deletes the keys under prefix.
func remove(ctx context.Context, rdb *redis.Client, prefix string) error {
	keys, err := under(ctx, rdb, prefix)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(keys, batch) {
		if err := rdb.Del(ctx, part...).Err(); err != nil {
			return fmt.Errorf("delete the run's keys under %q: %w", prefix, err)
		}
	}
	return nil
}

// checkForeign returns an error that names a key simrun did not write, if the
// server holds any.
func checkForeign(ctx context.Context, rdb *redis.Client, about info) error {
	addr := rdb.Options().Addr
	keys := rdb.Scan(ctx, 0, "", batch).Iterator()
	for keys.Next(ctx) {
		if !below(keys.Val(), Root) {
			return fmt.Errorf("%w: %s: %q is one; to use it all the same: -redis-shared", ErrServerForeign, addr, keys.Val())
		}
	}
	if err := keys.Err(); err != nil {
		return explain(addr, err)
	}
	for n := 1; n < 16; n++ { // in order; a server with more databases still uses the first ones
		if counts, ok := about[fmt.Sprint("db", n)]; ok {
			return fmt.Errorf("%w: %s: its database %d has %s of them; to use it all the same: -redis-shared",
				ErrServerForeign, addr, n, strings.TrimPrefix(strings.Split(counts, ",")[0], "keys="))
		}
	}
	return nil
}
