package miniserver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/lockchaos/simrun/internal/keyobserver"
)

// snapshot is what a miniredis holds at one moment.
type snapshot map[string]value

// value is one key's.
type value struct {
	keyobserver.Value
	lives   map[string]time.Time // of a hash's single fields that expire
	scores  map[string]float64   // of a sorted set
	expires time.Time            // by Redis's clock, as in a replication stream; zero: never
}

// take reads all keys. now is what Redis's clock shows, to which m has been set.
func take(m *miniredis.Miniredis, now time.Time) snapshot {
	db := m.DB(0) // expires what is due
	s := snapshot{}
	for _, k := range db.Keys() {
		if v, err := read(db, k, now); err == nil {
			s[k] = v
		}
	}
	return s
}

// errType: the type of a key is not one that is kept.
var errType = errors.New("unsupported type of key")

// read fails only with errType, and for a key that was removed since it was listed.
func read(db *miniredis.RedisDB, key string, now time.Time) (v value, err error) {
	switch db.Type(key) {
	case "string":
		v.String, err = db.Get(key)
	case "hash":
		var fields []string
		fields, err = db.HKeys(key)
		v.Hash = make(map[string]string, len(fields))
		for _, f := range fields {
			v.Hash[f] = db.HGet(key, f)
		}
	case "list":
		v.List, err = db.List(key)
	case "set":
		v.Set, err = db.Members(key)
		slices.Sort(v.Set)
	case "zset":
		v.scores, err = db.SortedSet(key)
	default:
		err = errType
	}
	for f := range v.Hash {
		if left := db.HTTL(key, f); left > 0 {
			if v.lives == nil {
				v.lives = map[string]time.Time{}
			}
			v.lives[f] = now.Add(left)
		}
	}
	if left := db.TTL(key); left > 0 {
		v.expires = now.Add(left)
	}
	return v, err
}

// equal reports whether two values are the same to a reader of the key.
func (v value) equal(o value) bool {
	return v.String == o.String && v.expires.Equal(o.expires) &&
		maps.Equal(v.Hash, o.Hash) && maps.EqualFunc(v.lives, o.lives, time.Time.Equal) &&
		slices.Equal(v.List, o.List) && slices.Equal(v.Set, o.Set) && maps.Equal(v.scores, o.scores)
}

// alive returns the snapshot without the keys that have expired.
func (s snapshot) alive(now time.Time) snapshot {
	left := snapshot{}
	for k, v := range s {
		if v.expires.IsZero() || v.expires.After(now) {
			left[k] = v
		}
	}
	return left
}

// restore replaces all that m holds. m's clock has been set to now.
func (s snapshot) restore(m *miniredis.Miniredis, now time.Time) error {
	m.FlushAll()
	db := m.DB(0)
	var errs []error
	left := s.alive(now)
	for _, key := range slices.Sorted(maps.Keys(left)) {
		if err := left[key].write(db, key, now); err != nil {
			errs = append(errs, fmt.Errorf("key %q: %w", key, err))
		}
	}
	return errors.Join(errs...)
}

func (v value) write(db *miniredis.RedisDB, key string, now time.Time) (err error) {
	switch {
	case v.Hash != nil:
		for _, f := range slices.Sorted(maps.Keys(v.Hash)) {
			over, ends := v.lives[f]
			if ends && !over.After(now) {
				continue
			}
			db.HSet(key, f, v.Hash[f])
			if ends {
				db.HExpire(key, f, over.Sub(now))
			}
		}
	case v.List != nil:
		_, err = db.Push(key, v.List...)
	case v.Set != nil:
		_, err = db.SetAdd(key, v.Set...)
	case v.scores != nil:
		for _, member := range slices.Sorted(maps.Keys(v.scores)) {
			if _, err = db.ZAdd(key, v.scores[member], member); err != nil {
				break
			}
		}
	default:
		err = db.Set(key, v.String)
	}
	if err == nil && !v.expires.IsZero() && db.Exists(key) {
		db.SetTTL(key, v.expires.Sub(now))
	}
	return err
}
