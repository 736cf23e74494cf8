package lock

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// polled is what the strategies on a plain key have in common.
type polled struct {
	rdb redis.UniversalClient
	key string
	cfg config
}

func newPolled(rdb redis.UniversalClient, key string, opts []Option) (polled, error) {
	if err := checkClient(rdb); err != nil {
		return polled{}, err
	}
	if key == "" {
		return polled{}, fmt.Errorf("%w: the key is empty", ErrInvalidOption)
	}
	cfg, err := newConfig(opts)
	return polled{rdb: rdb, key: key, cfg: cfg}, err
}

// acquire sets the key to value, with pauses between tries, or just once.
// doubtful tells that a try which failed may have been applied nonetheless.
func (p polled) acquire(ctx context.Context, value string, once bool) (doubtful bool, err error) {
	w := newWaiting(ctx, p.cfg, p.key)
	defer w.cancel()
	for n := 0; !w.ended(); n++ {
		ok, err := p.rdb.SetNX(w.ctx, p.key, value, p.cfg.lease).Result()
		if ok {
			return false, nil
		}
		if err != nil {
			doubtful = true
			w.failed(err)
		} else {
			w.answered()
		}
		if once || isHopeless(w.failure) {
			break
		}
		w.pause(n)
	}
	return doubtful, w.err()
}

// TTL is what is left of the key's life, 0 if nobody holds the lock, and
// negative if the key has no expiry.
func (p polled) TTL(ctx context.Context) (time.Duration, error) {
	return keyTTL(ctx, p.rdb, p.key)
}
