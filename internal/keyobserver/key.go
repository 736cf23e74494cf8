package keyobserver

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// State is what the key looks like.
type State struct {
	There   bool
	Value   string    // as [Value.Text] gives it
	Parts   Parts     // as [Value.Parts] gives them; nil: the value is one part
	Expires time.Time // by time.Now, at the earliest; zero: never
	// Unsure bounds the error of Expires: the key may live so much longer.
	Unsure time.Duration
}

// Value is a key's value; the fields that its type does not use are empty.
type Value struct {
	String string
	Hash   map[string]string
	List   []string // the first element is enough
	Set    []string // in any order
}

// Text renders the value so that it is the same text as long as the holder is the
// same. Of a list, in which clients queue, the first element is the holder.
func (v Value) Text() string {
	switch {
	case len(v.Hash) > 0:
		var b strings.Builder
		for _, f := range slices.Sorted(maps.Keys(v.Hash)) {
			b.WriteString(f)
			b.WriteByte('=')
			b.WriteString(v.Hash[f])
			b.WriteByte('\n')
		}
		return b.String()
	case len(v.List) > 0:
		return v.List[0]
	case len(v.Set) > 0:
		return strings.Join(slices.Sorted(slices.Values(v.Set)), "\n")
	}
	return v.String
}

// Held is the state of a key with this value, as far as the value goes.
func (v Value) Held() State { return State{There: true, Value: v.Text(), Parts: v.Parts()} }

// Makes reports whether a command of that name makes its key if there is none.
func Makes(command string) bool {
	switch command {
	case "set", "setnx", "setex", "psetex", "getset", "append", "incr", "incrby",
		"hset", "hsetnx", "hmset", "hincrby", "lpush", "rpush", "sadd", "zadd":
		return true
	}
	return false
}

// Touches reports whether a command may change the key when it is applied: it
// names it, or it may change a key without naming it. A script may: it can build
// the name. The command's name is in lower case, its arguments do not include it.
func Touches(command string, args []string, key string) bool {
	switch command {
	case "eval", "evalsha", "fcall", "exec", "flushall", "flushdb", "swapdb":
		return true
	}
	return slices.Contains(args, key)
}
