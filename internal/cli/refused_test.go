package cli

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// redisOf starts a server that wants a password, unless that is empty, and is of
// a version.
func redisOf(t *testing.T, version, password string) *miniredis.Miniredis {
	t.Helper()
	m := miniredis.RunT(t)
	m.RequireAuth(password)
	m.Server().SetPreHook(func(p *server.Peer, cmd string, args ...string) bool {
		if cmd != "INFO" {
			return false
		}
		p.WriteBulk(fmt.Sprintf("redis_version:%s\r\nrole:master\r\n", version))
		return true
	})
	return m
}

// nowhere is an address at which nothing listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// webServer serves everything but what is asked of it here.
func webServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// noInterpreter is a script that does not say by what it is run.
func noInterpreter(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("echo hello\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// What live mode cannot use is refused before anything runs, in one line that
// names it and what to do, and nothing is touched.
func TestLiveRefuses(t *testing.T) {
	locked := redisOf(t, "7.2.4", "right").Addr()
	open := redisOf(t, "7.2.4", "").Addr()
	old := redisOf(t, "4.0.14", "").Addr()
	full := redisOf(t, "7.2.4", "")
	if err := full.Set("cart:42", "x"); err != nil {
		t.Fatal(err)
	}
	dead, web := nowhere(t), webServer(t)
	for _, tt := range []struct {
		name string
		args []string
		says []string
	}{
		{"no redis-server", []string{"-redis", "redis-server"}, []string{"redis-server is not in $PATH", "install it", "-redis miniredis"}},
		{"no such server", []string{"-redis", "rediss"}, []string{`"rediss"`, "redis-server, host:port"}},
		{"unreachable", []string{"-redis", dead}, []string{dead, "refused", "start it", "-redis miniredis"}},
		{"no Redis", []string{"-redis", web}, []string{web, "is that the port of a Redis?"}},
		{"wrong password", []string{"-redis", "redis://:hunter2@" + locked}, []string{locked, "the password is wrong", "redis://:password@" + locked}},
		{"no password", []string{"-redis", locked}, []string{locked, "it needs a password", "redis://:password@" + locked}},
		{"a password too many", []string{"-redis", "redis://:hunter2@" + open}, []string{open, "it has no password", "leave it out"}},
		{"too old", []string{"-redis", old}, []string{old, "Redis 4.0.14", "oldest that works is 5", "-redis miniredis"}},
		{"foreign keys", []string{"-redis", full.Addr()}, []string{full.Addr(), `"cart:42"`, "-redis-shared"}},
		{"no Toxiproxy", []string{"-toxiproxy", dead}, []string{dead, "toxiproxy", "is it running?"}},
		{"not a Toxiproxy", []string{"-toxiproxy", web}, []string{web, "toxiproxy", "no Toxiproxy"}},
		{"no worker", []string{"-worker", "./my-lock --fast"}, []string{`"./my-lock"`, "name a program"}},
		{"a folder for a worker", []string{"-worker", t.TempDir()}, []string{"is a directory", "name a program"}},
		{"a worker that cannot be run", []string{"-worker", noInterpreter(t)}, []string{"exec format error", "#!"}},
		{"half a worker", []string{"-worker", "'my lock"}, []string{"my lock", "ends inside a quote"}},
		{"no scale", []string{"-scale", "0"}, []string{`"0"`, "from 1 to 1000"}},
		{"a scale below none", []string{"-scale", "-30"}, []string{`"-30"`, "from 1 to 1000"}},
		{"a scale that is no number", []string{"-scale", "NaN"}, []string{`"NaN"`, "from 1 to 1000"}},
		{"a scale without bound", []string{"-scale", "+Inf"}, []string{`"+Inf"`, "from 1 to 1000"}},
	} {
		for _, mode := range []string{"live", "both"} {
			t.Run(tt.name+"/"+mode, func(t *testing.T) {
				cmd := simrun(t, append([]string{"-scenario", "expiry", "-mode", mode, "-out", "r"}, tt.args...)...)
				tmp := t.TempDir()
				cmd.Env = []string{"PATH=" + tmp, "TMPDIR=" + tmp, "HOME=" + tmp}
				checkRefused(t, finish(t, cmd), tt.says)
				for _, dir := range []string{cmd.Dir, tmp} {
					if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
						t.Errorf("it left %q", left)
					}
				}
			})
		}
	}
	if keys := full.DB(0).Keys(); len(keys) != 1 {
		t.Errorf("the server with foreign keys holds %q now", keys)
	}
}

func checkRefused(t *testing.T, got outcome, says []string) {
	t.Helper()
	if got.code != ExitUsage || got.stdout != "" {
		t.Errorf("exit code is %d, standard output %q", got.code, got.stdout)
	}
	line, more, ended := strings.Cut(got.stderr, "\n")
	if !strings.HasPrefix(line, "simrun: ") || more != "" || !ended {
		t.Errorf("standard error is not one line:\n%s", got.stderr)
	}
	for _, s := range says {
		if !strings.Contains(line, s) {
			t.Errorf("%q does not say %q", line, s)
		}
	}
	if strings.Contains(got.stderr, "hunter2") {
		t.Errorf("%q tells a password", line)
	}
}

// The result folder is tried before the first run.
func TestAFolderThatCannotBeMadeIsToldBeforeALiveRun(t *testing.T) {
	cmd := simrun(t, "-scenario", "expiry", "-mode", "live", "-out", "in/the/way")
	if err := os.WriteFile(filepath.Join(cmd.Dir, "in"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, finish(t, cmd), []string{"-out", "in"})
}
