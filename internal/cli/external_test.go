package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/internal/live/redisserver"
)

// realServer starts a redis-server that has nothing to do with simrun's runs.
func realServer(t *testing.T) *redis.Client {
	t.Helper()
	testneeds.RedisServer(t)
	s, err := redisserver.Open(t.Context(), redisserver.RedisServer, redisserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(s.Options())
	t.Cleanup(func() {
		_ = rdb.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return rdb
}

// holding is all that a server holds: each key with its value and the instant at
// which it expires.
func holding(t *testing.T, rdb *redis.Client) map[string]string {
	t.Helper()
	ctx, all := context.Background(), map[string]string{}
	keys, err := rdb.Keys(ctx, "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		value, err := rdb.Dump(ctx, k).Result()
		if err != nil {
			t.Fatal(err)
		}
		expires, err := rdb.PExpireTime(ctx, k).Result()
		if err != nil {
			t.Fatal(err)
		}
		all[k] = fmt.Sprintf("%x until %v", value, expires)
	}
	return all
}

// othersKeys puts keys of somebody else into the server, one of which looks like
// a lock.
func othersKeys(t *testing.T, rdb *redis.Client) map[string]string {
	t.Helper()
	ctx := context.Background()
	if err := rdb.Set(ctx, "lock:item", "theirs", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.HSet(ctx, "cart:42", "apples", 3).Err(); err != nil {
		t.Fatal(err)
	}
	return holding(t, rdb)
}

// A server with keys of others is not touched unless that is asked for, and even
// then their keys stay as they are and none of ours is left.
func TestLiveLeavesTheKeysOfOthersAlone(t *testing.T) {
	t.Parallel()
	rdb := realServer(t)
	before := othersKeys(t, rdb)
	addr := rdb.Options().Addr

	cmd := simrun(t, "-scenario", "brief.yaml", "-mode", "live", "-scale", "100", "-redis", addr, "-out", "r")
	file(t, cmd, "brief.yaml", briefYAML)
	checkRefused(t, finish(t, cmd), []string{addr, "-redis-shared"})
	if diff := cmp.Diff(before, holding(t, rdb)); diff != "" {
		t.Errorf("the server was touched (-before +after):\n%s", diff)
	}

	cmd = simrun(t, "-scenario", "brief.yaml", "-mode", "live", "-scale", "60", "-redis", addr, "-redis-shared", "-out", "r", "-q")
	file(t, cmd, "brief.yaml", briefYAML)
	if got := finish(t, cmd); got.code != ExitPass || got.stderr != "" || !strings.Contains(got.stdout, "-redis "+addr+" -redis-shared") {
		t.Errorf("exit code is %d, standard error %q, output:\n%s", got.code, got.stderr, got.stdout)
	}
	if diff := cmp.Diff(before, holding(t, rdb)); diff != "" {
		t.Errorf("the keys are not as they were (-before +after):\n%s", diff)
	}
}

// toxiproxyServer is somebody else's Toxiproxy, with a proxy of theirs. It
// counts the proxies and toxics that are asked of it, but for theirs and the one
// that simrun tries it by.
func toxiproxyServer(t *testing.T) (addr string, asked func() (proxies, toxics int)) {
	t.Helper()
	var mu sync.Mutex
	var proxies, toxics int
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	routes := api.Routes()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			mu.Lock()
			if strings.HasSuffix(r.URL.Path, "/toxics") {
				toxics++
			} else {
				proxies++
			}
			mu.Unlock()
		}
		routes.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	addr = s.Listener.Addr().String()
	theirs, err := toxiclient.NewClient(addr).CreateProxy("theirs", "127.0.0.1:0", "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = theirs.Delete() })
	return addr, func() (int, int) {
		mu.Lock()
		defer mu.Unlock()
		return proxies - 2, toxics
	}
}

const partitionYAML = `name: cut
summary: A holder loses Redis for longer than its lease.
clients: 2
sections: 2
work: 5s
faults:
  - partition: {client: any, for: 40s, on: entered}
expect:
  token: {overlap: none}
`

// A Toxiproxy that already runs is used for all clients, and left as it was.
func TestLiveUsesAToxiproxyThatRuns(t *testing.T) {
	t.Parallel()
	addr, asked := toxiproxyServer(t)
	cmd := simrun(t, "-scenario", "cut.yaml", "-mode", "live", "-scale", "60", "-toxiproxy", addr, "-out", "r", "-q")
	file(t, cmd, "cut.yaml", partitionYAML)
	got := finish(t, cmd)
	if got.code != ExitPass || got.stderr != "" {
		t.Errorf("exit code is %d, standard error %q, output:\n%s", got.code, got.stderr, got.stdout)
	}
	// A run in which the machine stood still is made again.
	if proxies, toxics := asked(); proxies == 0 || proxies%2 != 0 || toxics == 0 {
		t.Errorf("%d proxies and %d toxics were asked for, want 2 a run and some", proxies, toxics)
	}
	left, err := toxiclient.NewClient(addr).Proxies()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range left {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"theirs"}) {
		t.Errorf("proxies %q are left, want theirs alone", names)
	}
}
