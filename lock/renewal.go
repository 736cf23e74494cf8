package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// startHold starts a hold and its renewal.
func startHold(s store, fence int64, now time.Time) *hold {
	ctx, cancel := context.WithCancel(context.Background())
	hd := &hold{store: s, fence: fence, cancel: cancel, lost: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(hd.done)
		hd.keepAlive(ctx, now)
	}()
	return hd
}

// keepAlive renews the key until ctx ends, the lease is lost or the cap is
// reached. Failed renewals do not end it, however many: the key may still live,
// and the network may recover before it expires.
func (hd *hold) keepAlive(ctx context.Context, start time.Time) {
	cfg, failed := hd.cfg, false
	for {
		if !sleepUntil(ctx, nextRenewal(start, time.Now(), cfg.renewEvery, failed)) {
			return
		}
		if cfg.capped && renewalsDue(start, time.Now(), cfg.renewEvery) > cfg.maxRenewals {
			hd.capOut(ctx)
			return
		}
		ours, err := hd.renewOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, redis.ErrClosed):
			hd.lose(fmt.Errorf("%w: %w", ErrLeaseLost, err))
			return
		case err == nil && !ours:
			hd.lose(fmt.Errorf("%w: the key is gone or has another owner", ErrLeaseLost))
			return
		}
		failed = err != nil
	}
}

func (hd *hold) renewOnce(ctx context.Context) (ours bool, err error) {
	sent := time.Now()
	hd.mu.Lock()
	hd.expectLocked(sent, hd.cfg.lease)
	hd.mu.Unlock()
	ours, err = hd.renew(ctx, hd.cfg.lease)
	if err == nil && ours {
		hd.mu.Lock()
		hd.prolongLocked(sent, hd.cfg.lease)
		hd.mu.Unlock()
	}
	return ours, err
}

// capOut cancels the holder, so that it rolls back, and only then frees the key:
// when the holder has released, or shortly before the key would expire. In the
// other order a successor would enter while the holder does not know yet.
func (hd *hold) capOut(ctx context.Context) {
	hd.lose(ErrRenewalCapped)
	hd.mu.Lock()
	end := hd.expiry.Add(-hd.cfg.margin())
	hd.mu.Unlock()
	if !sleepUntil(ctx, end) {
		return // the holder reentries
	}
	entries := hd.forfeit()
	if len(entries) == 0 {
		return
	}
	var nonces []string
	for _, e := range entries {
		nonces = append(nonces, e.nonce)
	}
	if _, err := hd.leave(ctx, nonces...); err != nil {
		hd.giveBack(entries) // the key is left to its holder, or to its expiry
	}
}
