package lock

import (
	"fmt"
	"strings"
)

// names derives the other keys of a lock from its key. All of them share one
// slot of a Redis Cluster, as scripts need.
type names struct {
	key     string
	prefix  string // carries the hash tag
	fence   string // counter of fencing tokens
	channel string // on which a release is published
}

// newNames fails where key has braces that keep it from being a hash tag.
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

// hasHashTag follows the Redis Cluster specification: what is between the first
// { and the first } after it, unless that is nothing.
func hasHashTag(key string) bool {
	_, rest, found := strings.Cut(key, "{")
	return found && strings.Index(rest, "}") > 0
}
