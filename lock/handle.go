package lock

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// policy is what tells the rungs of the ladder apart, from watchdog upwards.
type policy struct {
	capped bool // stop after so many renewals
	guard  bool // believe the lease over on the holder's own clock
	fence  bool // draw fencing tokens
}

// shared is what the handles of all owners of one lock have in common.
type shared struct {
	rdb    redis.UniversalClient
	names  names
	cfg    config
	policy policy
	// resendAfter: a command that took so long may have been sent twice.
	resendAfter time.Duration
	nonces      atomic.Int64 // counted, not random, so that a seed fixes a run
}

// handle is one owner's view of a lock. Through it the owner enters the lock,
// and enters it again while it holds it.
type handle struct {
	*shared
	owner string

	mu   sync.Mutex // never held over I/O, a sleep or a wait
	hold *hold      // nil while this owner does not believe that it holds
}

func newHandle(rdb redis.UniversalClient, key string, p policy, opts []Option) (*handle, error) {
	if err := checkClient(rdb); err != nil {
		return nil, err
	}
	n, err := newNames(key)
	if err != nil {
		return nil, err
	}
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if err := cfg.checkRenewal(p.guard); err != nil {
		return nil, err
	}
	return &handle{shared: &shared{
		rdb: rdb, names: n, cfg: cfg, policy: p, resendAfter: resendAfter(timeouts(rdb)...),
	}, owner: cfg.owner}, nil
}

// forOwner makes another owner's handle of the same lock.
func (h *handle) forOwner(name string) (*handle, error) {
	if err := checkOwner(name); err != nil {
		return nil, err
	}
	return &handle{shared: h.shared, owner: name}, nil
}

// current is the hold that an Acquire now would enter again, or nil.
func (h *handle) current() *hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hold
}

func (h *handle) nextNonce() string {
	return h.owner + "#" + strconv.FormatInt(h.nonces.Add(1), 10)
}

// send runs acquire.lua once. A token is drawn only by the entry that starts a
// hold; a further entry has the token of its hold.
func (h *handle) send(ctx context.Context, nonce string, again bool) (answer, value int64, err error) {
	mode, keys := "enter", []string{h.names.key, h.names.tombstone(nonce)}
	if again {
		mode = "reenter"
	} else if h.policy.fence {
		keys = append(keys, h.names.fence)
	}
	reply, err := acquireScript.Run(ctx, h.rdb, keys,
		h.owner, nonce, h.cfg.lease.Milliseconds(), mode).Int64Slice()
	if err != nil {
		return 0, 0, err
	}
	if len(reply) != 2 {
		return 0, 0, fmt.Errorf("acquire script answered %v", reply)
	}
	return reply[0], reply[1], nil
}

// sendRenewal lets the key live for d. It reports false where it is not ours.
func (h *handle) sendRenewal(ctx context.Context, d time.Duration) (ours bool, err error) {
	n, err := renewScript.Run(ctx, h.rdb, []string{h.names.key}, h.owner, d.Milliseconds()).Int()
	if isOverwritten(err) {
		return false, nil
	}
	return n == 1, err
}

// sendRelease gives nonces up. It reports false where none of them was held.
func (h *handle) sendRelease(ctx context.Context, nonces ...string) (held bool, err error) {
	keys := []string{h.names.key}
	args := []any{h.owner, h.cfg.lease.Milliseconds(), tombstoneLife.Milliseconds(), h.names.channel}
	for _, nonce := range nonces {
		keys = append(keys, h.names.tombstone(nonce))
		args = append(args, nonce)
	}
	n, err := releaseScript.Run(ctx, h.rdb, keys, args...).Int()
	if isOverwritten(err) {
		return false, nil
	}
	return n > 0, err
}

// undo gives up what may have been granted to an Acquire that does not return
// it, and leaves a tombstone for copies still under way. It does its best: a key
// that it cannot reach ends with its lease. ctx may have ended.
func (h *handle) undo(ctx context.Context, nonce string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoBound)
	defer cancel()
	_, _ = h.sendRelease(ctx, nonce)
}

// TTL is what is left of the key's life, 0 if nobody holds the lock, and
// negative if the key has no expiry.
func (h *handle) TTL(ctx context.Context) (time.Duration, error) {
	return keyTTL(ctx, h.rdb, h.names.key)
}

// HoldCount is how often this owner has entered the lock, as Redis counts.
func (h *handle) HoldCount(ctx context.Context) (int, error) {
	n, err := h.rdb.HGet(ctx, h.names.key, h.owner).Int()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("hold count of lock %q: %w", h.names.key, callError(ctx, err))
	}
	return n, nil
}

// ForceRelease deletes the key, whoever holds it, and reports whether there was
// one. A lease of this owner is lost by it, with [ErrLeaseLost]; another process
// learns of it at its next renewal. Where the reply to the first copy of the
// command is lost, the copy that go-redis resends finds no key.
func (h *handle) ForceRelease(ctx context.Context) (bool, error) {
	if hd := h.current(); hd != nil {
		hd.lose(fmt.Errorf("%w: released by force", ErrLeaseLost))
		hd.cancel()
	}
	n, err := forceReleaseScript.Run(ctx, h.rdb, []string{h.names.key}, h.names.channel).Int()
	if err != nil {
		return false, fmt.Errorf("force release of lock %q: %w", h.names.key, callError(ctx, err))
	}
	return n == 1, nil
}

func keyTTL(ctx context.Context, rdb redis.UniversalClient, key string) (time.Duration, error) {
	ttl, err := rdb.PTTL(ctx, key).Result()
	if err != nil {
		return 0, fmt.Errorf("life of lock %q: %w", key, callError(ctx, err))
	}
	if ttl == -2 { // go-redis hands on Redis's "no such key" as nanoseconds
		return 0, nil
	}
	return ttl, nil
}
