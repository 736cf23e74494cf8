package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// external is a Toxiproxy that simrun did not start.
func external(t *testing.T) (*httptest.Server, *toxiproxy.ApiServer) {
	t.Helper()
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	s := httptest.NewServer(api.Routes())
	t.Cleanup(s.Close)
	return s, api
}

// fake answers as a Toxiproxy whose proxies all listen at an address.
func fake(t *testing.T, listen string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			_, _ = io.WriteString(w, "2.1.4")
		case http.MethodPost:
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"name":"x","listen":%q,"enabled":true}`, listen)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// hangingUp is the address of a listener that closes each connection at once.
func hangingUp(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

func TestAToxiproxyThatCannotBeUsedIsRefusedInOneLine(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello") }))
	t.Cleanup(web.Close)
	none := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(none.Close)
	dead := gone.Listener.Addr().String()
	for name, tc := range map[string]struct{ addr, says string }{
		"nothing":                     {dead, "nothing answers at " + dead},
		"no address":                  {"a b", "nothing answers at a b"},
		"a page":                      {web.Listener.Addr().String(), errStranger.Error()},
		"no page":                     {none.Listener.Addr().String(), errStranger.Error()},
		"no web server":               {hangingUp(t), errStranger.Error()},
		"proxies on another machine":  {fake(t, dead), "must run on this machine"},
		"proxies that lead elsewhere": {fake(t, hangingUp(t)), "must run on this machine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := openProxyServer(t.Context(), tc.addr)
			if err == nil {
				t.Fatal(p.close(), "it was accepted")
			}
			t.Log(err)
			if !errors.Is(err, ErrToxiproxy) || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q does not say %q in one line", err, tc.says)
			}
		})
	}
}

func TestProbingAToxiproxyCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, _ := external(t)
	if _, err := openProxyServer(ctx, s.Listener.Addr().String()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// An external Toxiproxy is left as it was found, and is trusted as long as it
// answers and has the run's proxies.
func TestAToxiproxyThatGoesAway(t *testing.T) {
	s, api := external(t)
	begun := time.Now()
	p, err := openProxyServer(t.Context(), s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.close() }()
	if left := api.Collection.Proxies(); len(left) > 0 {
		t.Errorf("probing it left %v", left)
	}
	proxy, err := p.open("A", "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.outageSince(begun, proxy); err != nil {
		t.Errorf("it answers, yet: %v", err)
	}
	_ = api.Collection.Clear() // as a restart does
	if err := p.outageSince(begun, proxy); err == nil || !strings.Contains(err.Error(), "has lost proxy simrun-") {
		t.Errorf("it lost a proxy, yet: %v", err)
	}
	p.outages.note(failure{begun, begun.Add(time.Millisecond), errors.New("it hung")})
	if err := p.outageSince(begun); err == nil || !strings.HasPrefix(err.Error(), "the Toxiproxy at ") || !strings.HasSuffix(err.Error(), " did not answer: it hung") {
		t.Errorf("it hung for a while, yet: %v", err)
	}
	if err := p.outageSince(time.Now()); err != nil {
		t.Errorf("a later run is affected: %v", err)
	}
	s.Close()
	if err := p.outageSince(time.Now()); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("it is gone, yet: %v", err)
	}
}

// A run whose Toxiproxy went away proves nothing about the lock.
func TestARunWithoutItsToxiproxyIsInsufficientEvidence(t *testing.T) {
	var away atomic.Bool
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	routes := api.Routes()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() && r.Method == http.MethodGet {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		routes.ServeHTTP(w, r)
	}))
	defer s.Close()
	session, err := Open(t.Context(), Options{Scale: 100, Toxiproxy: s.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	if about := session.Setup().Toxiproxy; !strings.HasSuffix(about, " at "+s.Listener.Addr().String()) {
		t.Errorf("Toxiproxy %q", about)
	}
	away.Store(true)
	scenario, err := scenarios.Load("expiry")
	if err != nil {
		t.Fatal(err)
	}
	strategy, _ := strategy.Lookup("token")
	out, err := session.Run(t.Context(), engine.Job{Scenario: scenario, Strategy: strategy, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(out.Report.Findings, func(f check.Finding) bool { return f.Class == check.Unwatched })
	if i < 0 || !strings.HasPrefix(out.Report.Findings[i].Detail, "the Toxiproxy at ") {
		t.Errorf("findings %+v, want one that reports it", out.Report.Findings)
	}
	if len(out.Report.Violations) > 0 {
		t.Errorf("violations %+v of a run that proves nothing", out.Report.Violations)
	}
}

// prefixed is a server with other keys beside the run's.
type prefixed struct{ redisserver.Server }

func (prefixed) Prefix() string { return "simrun:1:" }

// The keys and channels that a lock leaves beside its key contain that in braces.
func TestLeftoversUnderAPrefix(t *testing.T) {
	s, err := redisserver.Open(t.Context(), redisserver.Miniredis, redisserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(s.Options())
	w := &world{redis: prefixed{s}, admin: rdb, clock: engine.NewClock(1), key: "simrun:1:lock:item"}
	w.rec = engine.NewRecorder(w.clock, history.Header{}, true)
	defer func() { _, _ = rdb.Close(), s.Close() }()
	heard := rdb.Subscribe(t.Context(), "channel:{simrun:1:lock:item}", "simrun:2:lock:item")
	defer heard.Close()
	for range 2 {
		if _, err := heard.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := rdb.Set(t.Context(), "{simrun:1:lock:item}:queue", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	w.job = engine.Job{}
	w.reportLeftovers()
	var got []string
	for _, e := range w.rec.Outcome().Events {
		got = append(got, e.Detail)
	}
	want := []string{"subscription to channel:{simrun:1:lock:item} is still there", "key {simrun:1:lock:item}:queue is left without expiry"}
	if !slices.Equal(got, want) {
		t.Errorf("leftovers %q, want %q", got, want)
	}
}
