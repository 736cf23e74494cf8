package redisserver

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed shift.lua
var shiftSource string

var shiftScript = redis.NewScript(shiftSource)

// batch is how many keys one command names at most.
const batch = 1000

// shift does what a step of the clock by d does to the keys under prefix. A key
// that comes after the scan is as one that comes after the step.
func shift(ctx context.Context, rdb *redis.Client, prefix string, d time.Duration) (string, error) {
	keys, err := under(ctx, rdb, prefix)
	if err != nil {
		return "", fmt.Errorf("step the clock: %w", err)
	}
	var moved, gone int64
	for part := range chunks(keys) {
		n, err := shiftScript.Run(ctx, rdb, part, -d.Milliseconds()).Int64Slice()
		if err != nil || len(n) != 2 {
			return "", fmt.Errorf("step the clock: move expiry of %d keys: got %v: %w", len(part), n, err)
		}
		moved += n[0]
		gone += n[1]
	}
	return fmt.Sprintf("clock stepped by %v of real time: the expiry of %d of %d keys was moved, and %d of them expired", d.Round(time.Millisecond), moved, len(keys), gone), nil
}

// under returns the keys of ours, each once: those with the prefix, and those
// that a lock keeps beside its key, which hold that in braces.
func under(ctx context.Context, rdb *redis.Client, prefix string) ([]string, error) {
	var keys []string
	seen := map[string]bool{}
	found := rdb.Scan(ctx, 0, "*"+literal(prefix)+"*", batch).Iterator()
	for found.Next(ctx) {
		if k := found.Val(); !seen[k] && below(k, prefix) {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	if err := found.Err(); err != nil {
		return nil, fmt.Errorf("find the keys under %q: %w", prefix, err)
	}
	return keys, nil
}

// below reports whether a key has the prefix, or holds a key that has it in
// braces, as in {prefix:lock:item}:fence.
func below(key, prefix string) bool {
	return strings.HasPrefix(key, prefix) || strings.Contains(key, "{"+prefix)
}

// literal is a pattern of Redis's that matches s itself.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `^`, `\^`).Replace(s)
}

// remove deletes the keys with the prefix and returns how many.
func remove(ctx context.Context, rdb *redis.Client, prefix string) (int, error) {
	keys, err := under(ctx, rdb, prefix)
	if err != nil {
		return 0, err
	}
	for part := range chunks(keys) {
		if err := rdb.Del(ctx, part...).Err(); err != nil {
			return 0, fmt.Errorf("delete our keys under %q: %w", prefix, err)
		}
	}
	return len(keys), nil
}
