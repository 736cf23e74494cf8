package lock

import (
	"context"
	_ "embed" // the scripts are separate files
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// The first lines of each script describe its protocol.
var (
	//go:embed lua/acquire.lua
	acquireLua string
	//go:embed lua/renew.lua
	renewLua string
	//go:embed lua/release.lua
	releaseLua string
	//go:embed lua/force_release.lua
	forceReleaseLua string
	//go:embed lua/token_release.lua
	tokenReleaseLua string
	//go:embed lua/token_extend.lua
	tokenExtendLua string

	acquireScript      = redis.NewScript(acquireLua)
	renewScript        = redis.NewScript(renewLua)
	releaseScript      = redis.NewScript(releaseLua)
	forceReleaseScript = redis.NewScript(forceReleaseLua)
	tokenReleaseScript = redis.NewScript(tokenReleaseLua)
	tokenExtendScript  = redis.NewScript(tokenExtendLua)
)

// The first number of acquire.lua's answer.
const (
	answerOthers = 0
	answerHeld   = 1
	answerSpent  = 2
	answerLost   = 3
)

// names derives the other keys of a lock from its key. All of them are in the
// same slot of a Redis Cluster, as scripts require.
type names struct {
	key     string
	prefix  string // carries the hash tag
	fence   string // counter of fencing tokens
	channel string // releases are published here
}

// newNames fails if braces in key prevent it from having a hash tag.
func newNames(key string) (names, error) {
	if key == "" {
		return names{}, fmt.Errorf("%w: the key is empty", ErrInvalidOption)
	}
	prefix := key
	if !hasHashTag(key) {
		if strings.Contains(key, "}") {
			return names{}, fmt.Errorf("%w: key %q has a } but no hash tag", ErrInvalidOption, key)
		}
		prefix = "{" + key + "}"
	}
	return names{key: key, prefix: prefix, fence: prefix + ":fence", channel: prefix + ":wake"}, nil
}

// tombstone is the key that remembers a nonce after its release.
func (n names) tombstone(nonce string) string { return n.prefix + ":released:" + nonce }

// hasHashTag follows the Redis Cluster specification: the tag is what is between
// the first { and the first } after it, unless that is empty.
func hasHashTag(key string) bool {
	_, rest, found := strings.Cut(key, "{")
	return found && strings.Index(rest, "}") > 0
}

// store changes a reentrant lock in Redis on behalf of one owner.
type store struct {
	rdb   redis.UniversalClient
	names names
	cfg   config
	owner string
}

// enter runs acquire.lua once. Only the entry that starts a hold draws a token;
// a reentry shares the token of its hold.
func (s store) enter(ctx context.Context, nonce string, reenter bool) (answer, value int64, err error) {
	mode, keys := "enter", []string{s.names.key, s.names.tombstone(nonce)}
	if reenter {
		mode = "reenter"
	} else if s.cfg.fence {
		keys = append(keys, s.names.fence)
	}
	reply, err := acquireScript.Run(ctx, s.rdb, keys,
		s.owner, nonce, s.cfg.lease.Milliseconds(), mode).Int64Slice()
	if err != nil {
		return 0, 0, err
	}
	if len(reply) != 2 {
		return 0, 0, fmt.Errorf("acquire script answered %v", reply)
	}
	return reply[0], reply[1], nil
}

// renew makes the key live for at least d. It reports false if the key is not ours.
func (s store) renew(ctx context.Context, d time.Duration) (ours bool, err error) {
	n, err := renewScript.Run(ctx, s.rdb, []string{s.names.key}, s.owner, d.Milliseconds()).Int()
	if isOverwritten(err) {
		return false, nil
	}
	return n == 1, err
}

// leave gives up the entries of nonces. It reports false if none of them was held.
func (s store) leave(ctx context.Context, nonces ...string) (held bool, err error) {
	keys := []string{s.names.key}
	args := []any{s.owner, s.cfg.lease.Milliseconds(), tombstoneLife.Milliseconds(), s.names.channel}
	for _, nonce := range nonces {
		keys = append(keys, s.names.tombstone(nonce))
		args = append(args, nonce)
	}
	n, err := releaseScript.Run(ctx, s.rdb, keys, args...).Int()
	if isOverwritten(err) {
		return false, nil
	}
	return n > 0, err
}

// undo gives up an entry that Redis may have granted to a failed Acquire, and
// leaves a tombstone for copies in flight. It ignores the end of ctx and all
// errors: a key that it cannot reach expires with its lease.
func (s store) undo(ctx context.Context, nonce string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoBound)
	defer cancel()
	_, _ = s.leave(ctx, nonce)
}

// TTL returns the key's remaining life, whoever holds the lock: 0 if there is no
// key, negative if the key has no expiry.
func (s store) TTL(ctx context.Context) (time.Duration, error) {
	return keyTTL(ctx, s.rdb, s.names.key)
}

// HoldCount returns how often this owner has entered the lock, according to Redis.
func (s store) HoldCount(ctx context.Context) (int, error) {
	n, err := s.rdb.HGet(ctx, s.names.key, s.owner).Int()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count the holds of lock %q: %w", s.names.key, callError(ctx, err))
	}
	return n, nil
}

func keyTTL(ctx context.Context, rdb redis.UniversalClient, key string) (time.Duration, error) {
	ttl, err := rdb.PTTL(ctx, key).Result()
	if err != nil {
		return 0, fmt.Errorf("life of lock %q: %w", key, callError(ctx, err))
	}
	if ttl == -2 { // go-redis passes on Redis's "no such key" as nanoseconds
		return 0, nil
	}
	return ttl, nil
}
