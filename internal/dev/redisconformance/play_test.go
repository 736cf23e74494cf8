package redisconformance

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// player performs steps on one server.
type player struct {
	t     *testing.T
	srv   server
	conns map[string]*conn
	admin *conn
	began time.Time
}

// conn speaks the protocol itself: a client library would hide differences.
type conn struct {
	net.Conn
	r *bufio.Reader
}

// newPlayer removes all keys of the server, which belongs to the test.
func newPlayer(t *testing.T, srv server) *player {
	t.Helper()
	p := &player{t: t, srv: srv, conns: map[string]*conn{}}
	p.admin = p.open()
	for _, cmd := range []string{"FLUSHALL", "SCRIPT FLUSH"} {
		if got := p.admin.ask(t, strings.Fields(cmd)...); got != "+OK" {
			t.Fatalf("%s answered %s", cmd, got)
		}
	}
	p.awaitNoSubscriber()
	p.began = time.Now()
	return p
}

// awaitNoSubscriber waits until the server has noticed that the connections of an
// earlier player are closed: until then it counts their subscriptions.
func (p *player) awaitNoSubscriber() {
	p.t.Helper()
	for end := time.Now().Add(bound); ; time.Sleep(time.Millisecond) {
		channels, patterns := p.admin.ask(p.t, "PUBSUB", "CHANNELS"), p.admin.ask(p.t, "PUBSUB", "NUMPAT")
		if channels == "[]" && patterns == "0" {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("subscriptions of closed connections are still there: channels %s, patterns %s", channels, patterns)
		}
	}
}

func (p *player) open() *conn {
	p.t.Helper()
	c, err := p.srv.dial()
	if err != nil {
		p.t.Fatal(err)
	}
	return &conn{c, bufio.NewReader(c)}
}

func (p *player) close() {
	_ = p.admin.Close()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

// perform does one step and returns its result.
func (p *player) perform(s step) string {
	p.t.Helper()
	switch s.kind {
	case "send":
		return p.conn(s.conn).ask(p.t, expand(p.t, s.args)...)
	case "recv":
		return p.conn(s.conn).next(p.t)
	case "clock":
		p.srv.jump(p.t, s.by)
	case "lapse":
		p.srv.lapse(p.t, s.args[0])
	case "keys":
		return p.keys()
	}
	return ""
}

// conn returns the connection of that name. If the name ends in 3, it speaks RESP3.
func (p *player) conn(name string) *conn {
	p.t.Helper()
	if p.conns[name] == nil {
		p.conns[name] = p.open()
		if strings.HasSuffix(name, "3") {
			p.conns[name].ask(p.t, "HELLO", "3")
		}
	}
	return p.conns[name]
}

func (c *conn) ask(t *testing.T, args ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := c.Write([]byte(b.String())); err != nil {
		t.Fatal(err)
	}
	got := c.next(t)
	if strings.EqualFold(args[0], "HELLO") {
		return maskHello(got)
	}
	return maskError(foldReply(t, got))
}

func (c *conn) next(t *testing.T) string {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(bound)); err != nil {
		t.Fatal(err)
	}
	got, err := readReply(c.r)
	if err != nil {
		t.Fatalf("no reply: %v", err)
	}
	return got
}

// maskHello hides what is specific to one server or connection.
func maskHello(reply string) string {
	for _, field := range []string{`"version"`, `"id"`} {
		for _, sep := range []string{": ", ", "} {
			before, after, ok := strings.Cut(reply, field+sep)
			if !ok {
				continue
			}
			_, after, _ = strings.Cut(after, ", ")
			reply = before + field + sep + "*, " + after
		}
	}
	return reply
}

// A script's error contains the script's hash and a line number, which would change
// with a comment in the script.
var inScript = []struct {
	place *regexp.Regexp
	mask  string
}{
	{regexp.MustCompile(`script: [0-9a-f]{40}`), "script: *"},
	{regexp.MustCompile(`user_script:\d+`), "user_script:*"},
	{regexp.MustCompile(`:\d+: `), ":*: "},
}

func maskError(reply string) string {
	if !strings.HasPrefix(reply, "-") {
		return reply
	}
	for _, m := range inScript {
		reply = m.place.ReplaceAllString(reply, m.mask)
	}
	return reply
}

// keys lists the server's keys, one per line: name, type, value, life.
func (p *player) keys() string {
	p.t.Helper()
	var lines []string
	for _, k := range list(p.t, p.admin.ask(p.t, "KEYS", "*")) {
		kind := strings.TrimPrefix(p.admin.ask(p.t, "TYPE", k), "+")
		value := ""
		switch kind {
		case "string":
			value = p.admin.ask(p.t, "GET", k)
		case "hash":
			value = hash(list(p.t, p.admin.ask(p.t, "HGETALL", k)))
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s", k, kind, value, p.admin.ask(p.t, "PTTL", k)))
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return "nothing"
	}
	return strings.Join(lines, "\n")
}

// list parses an array of bulk strings.
func list(t *testing.T, reply string) []string {
	t.Helper()
	inside := strings.TrimSuffix(strings.TrimPrefix(reply, "["), "]")
	words, err := split(strings.ReplaceAll(inside, ", ", " "))
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func hash(items []string) string {
	var pairs []string
	for i := 0; i+1 < len(items); i += 2 {
		pairs = append(pairs, items[i]+"="+items[i+1])
	}
	slices.Sort(pairs)
	return "{" + strings.Join(pairs, " ") + "}"
}

// scripts returns the scripts of package lock by file name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	all, err := readScripts()
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	return all
}

var readScripts = sync.OnceValues(func() (map[string]string, error) {
	paths, err := filepath.Glob("../../../lock/lua/*.lua")
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all[filepath.Base(path)] = string(text)
	}
	return all, nil
})

func sha(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// expand replaces names of scripts by their text.
func expand(t *testing.T, args []string) []string {
	t.Helper()
	out := slices.Clone(args)
	for i, a := range args {
		if len(a) < 2 || a[0] != '@' && a[0] != '#' || !strings.HasSuffix(a, ".lua") {
			continue
		}
		source, ok := scripts(t)[a[1:]]
		if !ok {
			t.Fatalf("package lock has no script %s", a[1:])
		}
		if out[i] = source; a[0] == '#' {
			out[i] = sha(source)
		}
	}
	return out
}

// fold replaces texts and hashes of scripts by their names.
func fold(t *testing.T, args []string) []string {
	t.Helper()
	out := slices.Clone(args)
	for name, source := range scripts(t) {
		for i, a := range args {
			switch a {
			case source:
				out[i] = "@" + name
			case sha(source):
				out[i] = "#" + name
			}
		}
	}
	return out
}

// foldReply replaces hashes of scripts by their names.
func foldReply(t *testing.T, reply string) string {
	t.Helper()
	for name, source := range scripts(t) {
		reply = strings.ReplaceAll(reply, sha(source), "#"+name)
	}
	return reply
}
