// Package snapshot is the replica that miniredis lacks: what an asynchronous
// replica of it, so far behind, would hold.
//
// Goals: a failover on miniredis loses what a real one loses, writes and
// removals alike, in both worlds; a key's expiry is a time of Redis's clock, as it
// is in a replication stream.
// Non-goals: databases other than 0, streams and HyperLogLogs, in which nobody
// keeps a lock: a failover loses them whole; the replication protocol.
package snapshot

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// State is what a miniredis holds at one moment.
type State map[string]value

// value is one key's.
type value struct {
	text    string // a string
	fields  map[string]string
	lives   map[string]time.Time // of single fields that expire
	list    []string
	members []string // of a set, sorted
	scores  map[string]float64
	expires time.Time // by Redis's clock; zero: never
}

// Take reads all keys. now is what Redis's clock shows, to which m has been set.
func Take(m *miniredis.Miniredis, now time.Time) State {
	db := m.DB(0) // lets time that has passed reach the keys
	s := State{}
	for _, k := range db.Keys() {
		if v, ok := read(db, k, now); ok {
			s[k] = v
		}
	}
	return s
}

// read fails only for a type that is not kept, and for a key that somebody has
// removed since it was listed.
func read(db *miniredis.RedisDB, key string, now time.Time) (v value, ok bool) {
	var err error
	switch db.Type(key) {
	case "string":
		v.text, err = db.Get(key)
	case "hash":
		v.fields, v.lives = map[string]string{}, map[string]time.Time{}
		var names []string
		names, err = db.HKeys(key)
		for _, f := range names {
			v.fields[f] = db.HGet(key, f)
			if left := db.HTTL(key, f); left > 0 {
				v.lives[f] = now.Add(left)
			}
		}
	case "list":
		v.list, err = db.List(key)
	case "set":
		v.members, err = db.Members(key)
		slices.Sort(v.members)
	case "zset":
		v.scores, err = db.SortedSet(key)
	default:
		return value{}, false
	}
	if left := db.TTL(key); left > 0 {
		v.expires = now.Add(left)
	}
	return v, err == nil
}

// equal reports whether two values are the same to whoever looks at the key.
func (v value) equal(o value) bool {
	return v.text == o.text && v.expires.Equal(o.expires) &&
		maps.Equal(v.fields, o.fields) && maps.EqualFunc(v.lives, o.lives, time.Time.Equal) &&
		slices.Equal(v.list, o.list) && slices.Equal(v.members, o.members) && maps.Equal(v.scores, o.scores)
}

// alive is the state without the keys whose time is over.
func (s State) alive(now time.Time) State {
	left := State{}
	for k, v := range s {
		if v.expires.IsZero() || v.expires.After(now) {
			left[k] = v
		}
	}
	return left
}

// Restore replaces all that m holds, whose clock has been set to now.
func (s State) Restore(m *miniredis.Miniredis, now time.Time) error {
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
	case v.fields != nil:
		for _, f := range slices.Sorted(maps.Keys(v.fields)) {
			over, ends := v.lives[f]
			if ends && !over.After(now) {
				continue
			}
			db.HSet(key, f, v.fields[f])
			if ends {
				db.HExpire(key, f, over.Sub(now))
			}
		}
	case v.list != nil:
		_, err = db.Push(key, v.list...)
	case v.members != nil:
		_, err = db.SetAdd(key, v.members...)
	case v.scores != nil:
		for _, member := range slices.Sorted(maps.Keys(v.scores)) {
			if _, err = db.ZAdd(key, v.scores[member], member); err != nil {
				break
			}
		}
	default:
		err = db.Set(key, v.text)
	}
	if err == nil && !v.expires.IsZero() && db.Exists(key) {
		db.SetTTL(key, v.expires.Sub(now))
	}
	return err
}
