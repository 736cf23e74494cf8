package redisserver

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
)

// stub is a miniredis that answers INFO as it is told to.
func stub(t *testing.T, password string, about map[string]string) *miniredis.Miniredis {
	t.Helper()
	m := miniredis.RunT(t)
	m.RequireAuth(password)
	m.Server().SetPreHook(func(p *server.Peer, cmd string, args ...string) bool {
		if answer := about["deny"]; answer != "" && (cmd == "SET" || cmd == "DEL") {
			p.WriteError(answer)
			return true
		}
		if cmd != "INFO" {
			return false
		}
		p.WriteBulk(about["info"])
		return true
	})
	return m
}

// denying is a modern server that answers writes with an error.
func denying(answer string) map[string]string {
	about := maps.Clone(modern)
	about["deny"] = answer
	return about
}

// modern describes a server that can be used.
var modern = map[string]string{"info": "# Server\r\nredis_version:7.2.4\r\nvalkey_version:8.0.1\r\n# Replication\r\nrole:master\r\n"}

func TestAServerThatCannotBeUsedIsRefusedInOneLine(t *testing.T) {
	old := map[string]string{"info": "redis_version:4.0.14\r\n"}
	mute := map[string]string{}
	replica := map[string]string{"info": "redis_version:6.0.0\r\nrole:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\n"}
	for name, tc := range map[string]struct {
		about    map[string]string
		password string // of the server
		given    string
		key      string // a key of the server
		want     error
		says     []string
	}{
		"wrong password":      {about: modern, password: "right", given: ":hunter2@", want: ErrServerPassword, says: []string{"wrong", "redis://:password@"}},
		"password needed":     {about: modern, password: "right", want: ErrServerPassword, says: []string{"redis://:password@"}},
		"no password wanted":  {about: modern, given: ":hunter2@", want: ErrServerPassword, says: []string{"it has no password", "leave it out"}},
		"too old":             {about: old, want: ErrServerOld, says: []string{"4.0.14", "5", "-redis miniredis"}},
		"no version":          {about: mute, want: ErrServerUnreachable, says: []string{"version"}},
		"a replica":           {about: replica, want: ErrServerReplica, says: []string{"10.0.0.1:6379"}},
		"a foreign key":       {about: modern, key: "cart:42", want: ErrServerForeign, says: []string{`"cart:42"`, "-redis-shared"}},
		"no write wanted":     {about: denying("CLUSTERDOWN Hash slot not served"), want: ErrServerWrites, says: []string{"CLUSTERDOWN Hash slot not served"}},
		"no write allowed":    {about: denying("NOPERM no permissions to run 'set'"), want: ErrServerPassword, says: []string{"NOPERM no permissions"}},
		"one more in the url": {about: modern, password: "right", given: ":right@", key: "cart:42", want: ErrServerForeign, says: []string{"cart:42"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := stub(t, tc.password, tc.about)
			if tc.key != "" {
				if err := m.Set(tc.key, "x"); err != nil {
					t.Fatal(err)
				}
			}
			before := m.Dump()
			_, err := Open(t.Context(), "redis://"+tc.given+m.Addr(), Options{})
			checkRefusal(t, err, tc.want, append(tc.says, m.Addr())...)
			if m.Dump() != before {
				t.Error("the server was touched")
			}
		})
	}
}

// checkRefusal checks that an error is the expected one, on one line that contains
// the given texts and no password.
func checkRefusal(t *testing.T, err, want error, says ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	t.Log(err)
	if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %q is not one line without secrets", err)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error %q does not say %q", err, s)
		}
	}
}

func TestASpecThatNamesNoServer(t *testing.T) {
	for _, spec := range []string{
		"", "minired", "redis-server:x", "host", ":0", "1.2.3.4:99999", "http://x:6379",
		"rediss://:hunter2@host:6379", "unix:///tmp/sock", "redis://:hunter2@host:port", "redis://:hunter2@host:1/x", "redis://:hun%ter2@host:1",
		":hunter2@host:6379", "hunter2@host:6379", "x:hunter2@host:port", ":x://hunter2@host:1", "http://:hunter2@hunter2@host:1",
		"redis://:hunter2@host:1/2", "redis://:hunter2@host:1?db=2", "redis://me:hunter2@host:1", "redis://hunter2@host:1",
	} {
		t.Run(spec, func(t *testing.T) {
			_, err := Open(t.Context(), spec, Options{})
			checkRefusal(t, err, ErrSpec)
		})
	}
}

func TestAnAddressWhereNothingAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), addr, Options{})
	checkRefusal(t, err, ErrServerUnreachable, addr, "refused", "start it", "-redis miniredis")
}

func TestAnAddressWhereSomethingElseAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = c.Close()
		}
	}()
	_, err = Open(t.Context(), l.Addr().String(), Options{})
	checkRefusal(t, err, ErrServerUnreachable, l.Addr().String(), "is that the port of a Redis?")
}

func TestOpeningCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := stub(t, "", modern)
	if _, err := Open(ctx, m.Addr(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

func TestAPortThatIsTakenWhileTheServerIsDown(t *testing.T) {
	for _, spec := range started {
		t.Run(spec, func(t *testing.T) {
			s := open(t, spec, Options{})
			must[string](t)(s.Stop(t.Context(), true))
			l, err := net.Listen("tcp", s.Addr())
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Start(t.Context())
			checkRefusal(t, err, ErrServerPort, s.Addr())
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			must[string](t)(s.Start(t.Context()))
		})
	}
}

func TestNoRedisServer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Open(t.Context(), RedisServer, Options{})
	checkRefusal(t, err, ErrServerMissing, "-redis miniredis")
}

func TestKeysLeftByAKilledRunAreAccepted(t *testing.T) {
	m := stub(t, "", modern)
	for _, k := range []string{Root + "0123:lock:item", "{" + Root + "0123:lock:item}:fence"} {
		if err := m.Set(k, "7"); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), m.Addr(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Version() != "valkey 8.0.1" {
		t.Errorf("version %q", s.Version())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !m.Exists("{" + Root + "0123:lock:item}:fence") {
		t.Error("another run's key was removed")
	}
}

// The same on a real server, whose error texts differ between versions.
func TestARealServerRefuses(t *testing.T) {
	s := open(t, RedisServer, Options{})
	rdb, ctx := client(t, s), t.Context()
	addr := s.Addr()

	_, err := Open(ctx, "redis://:hunter2@"+addr, Options{})
	checkRefusal(t, err, ErrServerPassword, "it has no password")

	other := redis.NewClient(&redis.Options{Addr: addr, DB: 3})
	defer func() { _ = other.Close() }()
	must[string](t)(other.Set(ctx, "cart:42", "x", 0).Result())
	_, err = Open(ctx, addr, Options{})
	checkRefusal(t, err, ErrServerForeign, "database 3 has 1 of them")
	must[string](t)(rdb.Set(ctx, "cart:7", "x", 0).Result())
	_, err = Open(ctx, addr, Options{})
	checkRefusal(t, err, ErrServerForeign, "cart:7")
	if got := keys(t, rdb); !maps.Equal(got, map[string]bool{"cart:7": true}) {
		t.Errorf("keys %v: the server was touched", got)
	}

	must[string](t)(rdb.ConfigSet(ctx, "requirepass", "right").Result())
	_, err = Open(ctx, "redis://:hunter2@"+addr, Options{})
	checkRefusal(t, err, ErrServerPassword, "wrong")
	_, err = Open(ctx, addr, Options{})
	checkRefusal(t, err, ErrServerPassword, "redis://:password@")
	for _, user := range []string{"", "default"} {
		good, err := Open(ctx, "redis://"+user+":right@"+addr, Options{Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := good.Close(); err != nil {
			t.Fatal(err)
		}
	}
	must[string](t)(rdb.ConfigSet(ctx, "min-replicas-to-write", "1").Result())
	_, err = Open(ctx, "redis://:right@"+addr, Options{Shared: true})
	checkRefusal(t, err, ErrServerWrites, "NOREPLICAS")
}

// The check that a server accepts writes leaves nothing behind.
func TestTheCheckForWritesLeavesNothing(t *testing.T) {
	m := stub(t, "", modern)
	s, err := Open(t.Context(), m.Addr(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if keys := m.DB(0).Keys(); len(keys) > 0 {
		t.Errorf("it left %q", keys)
	}
}

// $TMPDIR may be a relative path.
func TestARelativeFolderForTemporaryFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", "tmp")
	s := open(t, RedisServer, Options{})
	if dir := s.(*lifecycle).Server.(*spawned).dir; !filepath.IsAbs(dir) { // as the reaper needs it
		t.Errorf("its folder is %s", dir)
	}
	restart(t, s, true)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir("tmp"); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}
