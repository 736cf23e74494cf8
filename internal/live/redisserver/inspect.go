package redisserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// oldest is the oldest major version of Redis that is used: it is the first
// whose scripts may write after they have asked the time.
const oldest = 5

// info is what a server tells about itself.
type info map[string]string

// ask reads a section of INFO.
func ask(ctx context.Context, rdb *redis.Client, section string) (info, error) {
	text, err := rdb.Info(ctx, section).Result()
	if err != nil {
		return nil, err
	}
	got := info{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			got[k] = v
		}
	}
	return got, nil
}

// product is the server's name and version.
func (i info) product() string {
	if v := i["valkey_version"]; v != "" {
		return "valkey " + v
	}
	return "redis-server " + i["redis_version"]
}

// fit reports whether the server is one that can be used.
func (i info) fit(addr string) error {
	version := i["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return fmt.Errorf("%w: %s: it does not tell its version", ErrServerUnreachable, addr)
	}
	if n < oldest {
		return fmt.Errorf("%w: %s is Redis %s, the oldest that works is %d; or do without it: -redis miniredis", ErrServerOld, addr, version, oldest)
	}
	return nil
}

// foreign returns an error that names a key of the server that is not ours, if
// it holds any.
func foreign(ctx context.Context, rdb *redis.Client, prefix string) error {
	addr := rdb.Options().Addr
	keys := rdb.Scan(ctx, 0, "", 1000).Iterator()
	for keys.Next(ctx) {
		if !ours(keys.Val(), prefix) {
			return fmt.Errorf("%w: %s: %q is one; to use it all the same: -redis-shared", ErrServerForeign, addr, keys.Val())
		}
	}
	if err := keys.Err(); err != nil {
		return explain(addr, err)
	}
	spaces, err := ask(ctx, rdb, "keyspace")
	if err != nil {
		return explain(addr, err)
	}
	for n := range 16 { // in their order; a server with more is still found out by its first
		db := fmt.Sprint("db", n)
		if counts, ok := spaces[db]; ok && n != rdb.Options().DB {
			return fmt.Errorf("%w: %s: its database %d has %s of them; to use it all the same: -redis-shared",
				ErrServerForeign, addr, n, strings.TrimPrefix(strings.Split(counts, ",")[0], "keys="))
		}
	}
	return nil
}

// Root is what every random prefix begins with, so that keys which a killed run
// has left are known as ours.
const Root = "simrun:"

func ours(key, prefix string) bool {
	return below(key, Root) || prefix != "" && below(key, prefix)
}
