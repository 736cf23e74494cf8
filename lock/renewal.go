package lock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// renew keeps the key alive until ctx ends, the lease is lost or the cap is
// reached. One renewal that fails, or many, do not end it: the key may live
// still, and the network may be back before it expires.
func (hd *hold) renew(ctx context.Context, start time.Time) {
	cfg, failed := hd.h.cfg, false
	for {
		if !sleepUntil(ctx, nextRenewal(start, time.Now(), cfg.renewEvery, failed)) {
			return
		}
		if hd.h.policy.capped && renewalsDue(start, time.Now(), cfg.renewEvery) > cfg.maxRenewals {
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
	h, sent := hd.h, time.Now()
	h.mu.Lock()
	hd.expect(sent, h.cfg.lease)
	h.mu.Unlock()
	ours, err = h.sendRenewal(ctx, h.cfg.lease)
	if err == nil && ours {
		h.mu.Lock()
		hd.prolong(sent, h.cfg.lease)
		h.mu.Unlock()
	}
	return ours, err
}

// capOut cancels the holder, so that it rolls back, and only then takes the key
// away: when the holder has released, or else shortly before the key would end
// by itself. The other way round, a successor would enter beside a holder that
// does not know yet.
func (hd *hold) capOut(ctx context.Context) {
	hd.lose(ErrRenewalCapped)
	h := hd.h
	h.mu.Lock()
	end := hd.granted.Add(-h.cfg.margin())
	h.mu.Unlock()
	if !sleepUntil(ctx, end) {
		return // the holder releases
	}
	leases := hd.forfeit()
	if len(leases) == 0 {
		return
	}
	var nonces []string
	for _, l := range leases {
		nonces = append(nonces, l.nonce)
	}
	if _, err := h.sendRelease(ctx, nonces...); err != nil {
		hd.unforfeit(leases) // the key is left to its holder, or to its expiry
	}
}

// forfeit takes the leases from a holder that has not released them.
func (hd *hold) forfeit() []*lease {
	hd.h.mu.Lock()
	defer hd.h.mu.Unlock()
	for _, l := range hd.entries {
		l.forfeited = true
	}
	return slices.Clone(hd.entries)
}

// unforfeit gives them back.
func (hd *hold) unforfeit(leases []*lease) {
	hd.h.mu.Lock()
	defer hd.h.mu.Unlock()
	for _, l := range leases {
		l.forfeited = false
	}
}
