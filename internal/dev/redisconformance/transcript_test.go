package redisconformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A transcript is a text of cases. Each begins with a line "== name", on servers
// without keys, scripts or connections, and is a list of steps:
//
//	a> SET sale token     connection a sends a command
//	a<                    connection a waits for a message
//	clock +10s            the server's clock jumps, which equals time passing
//	lapse sale            real time passes until the key has expired
//	keys                  the server's keys, with their remaining lives
//
// Below a step, indented by three spaces, is redis-server's reply. If miniredis's
// differs, it follows in lines that begin with "miniredis: ". An argument may be quoted as in Go; @file.lua is a script of
// package lock, and #file.lua is its SHA-1.
type transcript struct {
	head  []string // comments before the first case
	cases []script
}

type script struct {
	name  string
	notes []string // comments below the name
	steps []step
}

type step struct {
	kind             string   // send, recv, clock, lapse or keys
	conn             string   // of send and recv
	args             []string // of send, as written in the file; of lapse, the key
	by               time.Duration
	redis, miniredis string // the replies; miniredis is empty if it is the same
}

const (
	indent  = "   "
	differs = "miniredis: "
)

// expected is the reply that a server must give.
func (s step) expected(miniredis bool) string {
	if miniredis && s.miniredis != "" {
		return s.miniredis
	}
	return s.redis
}

func parse(text string) (transcript, error) {
	var t transcript
	for n, line := range strings.Split(text, "\n") {
		if err := t.read(line); err != nil {
			return transcript{}, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return t, nil
}

func (t *transcript) read(line string) error {
	name, isName := strings.CutPrefix(line, "== ")
	switch {
	case isName:
		t.cases = append(t.cases, script{name: name})
		return nil
	case line == "":
		return nil
	case len(t.cases) == 0:
		if !strings.HasPrefix(line, "#") {
			return fmt.Errorf("%q comes before the first case", line)
		}
		t.head = append(t.head, line)
		return nil
	}
	c := &t.cases[len(t.cases)-1]
	if strings.HasPrefix(line, "#") {
		if len(c.steps) > 0 {
			return fmt.Errorf("the comment %q is not at the head of its case", line)
		}
		c.notes = append(c.notes, line)
		return nil
	}
	if reply, ok := strings.CutPrefix(line, indent); ok {
		if len(c.steps) == 0 {
			return fmt.Errorf("reply %q to no step", reply)
		}
		s := &c.steps[len(c.steps)-1]
		if r, ok := strings.CutPrefix(reply, differs); ok {
			s.miniredis = joinLines(s.miniredis, r)
		} else {
			s.redis = joinLines(s.redis, reply)
		}
		return nil
	}
	s, err := parseStep(line)
	c.steps = append(c.steps, s)
	return err
}

func joinLines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}

func parseStep(line string) (step, error) {
	words, err := split(line)
	if err != nil {
		return step{}, err
	}
	head := ""
	if len(words) > 0 {
		head = words[0]
	}
	conn, sends := strings.CutSuffix(head, ">")
	from, receives := strings.CutSuffix(head, "<")
	switch {
	case sends && conn != "" && len(words) > 1:
		return step{kind: "send", conn: conn, args: words[1:]}, nil
	case receives && from != "" && len(words) == 1:
		return step{kind: "recv", conn: from}, nil
	case head == "keys" && len(words) == 1:
		return step{kind: "keys"}, nil
	case head == "lapse" && len(words) == 2:
		return step{kind: "lapse", args: words[1:]}, nil
	case head == "clock" && len(words) == 2:
		d, err := time.ParseDuration(words[1])
		if err != nil || d%time.Millisecond != 0 {
			return step{}, fmt.Errorf("%q is not a number of milliseconds", words[1])
		}
		return step{kind: "clock", by: d}, nil
	}
	return step{}, fmt.Errorf("%q is not a step", line)
}

// split splits a line at spaces outside Go's quotes.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, fmt.Errorf("%s is not quoted as in Go", line)
		}
		word, _ := strconv.Unquote(quoted)
		words, line = append(words, word), line[len(quoted):]
	}
	return words, nil
}

func (t transcript) String() string {
	var b strings.Builder
	for _, line := range t.head {
		fmt.Fprintln(&b, line)
	}
	for i, c := range t.cases {
		if i > 0 || len(t.head) > 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "== %s\n", c.name)
		for _, line := range c.notes {
			fmt.Fprintln(&b, line)
		}
		for _, s := range c.steps {
			fmt.Fprintln(&b, s)
			writeReply(&b, indent, s.redis)
			writeReply(&b, indent+differs, s.miniredis)
		}
	}
	return b.String()
}

func writeReply(b *strings.Builder, prefix, reply string) {
	if reply == "" {
		return
	}
	for _, line := range strings.Split(reply, "\n") {
		fmt.Fprintf(b, "%s%s\n", prefix, line)
	}
}

func (s step) String() string {
	switch s.kind {
	case "send":
		return s.conn + "> " + quoteAll(s.args)
	case "recv":
		return s.conn + "<"
	case "lapse":
		return "lapse " + quoteAll(s.args)
	case "clock":
		return fmt.Sprintf("clock %+gs", s.by.Seconds())
	}
	return s.kind
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \"\n\r\t") || strconv.Quote(w) != `"`+w+`"` {
			quoted[i] = strconv.Quote(w)
		}
	}
	return strings.Join(quoted, " ")
}

// files returns all transcripts by file name without extension.
func files(t *testing.T) map[string]transcript {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	all := map[string]transcript{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".txt")] = parsed
	}
	return all
}

func FuzzTranscript(f *testing.F) {
	f.Add("# head\n\n== one\n# note\na> SET k \"v w\"\n   +OK\n   miniredis: -ERR no\nclock -1.5s\nlapse k\na<\nkeys\n   k string\n")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := parse(text)
		if err != nil {
			return
		}
		second, err := parse(first.String())
		if err != nil {
			t.Fatalf("what was read is written as something unreadable: %v\n%s", err, first)
		}
		if first.String() != second.String() {
			t.Errorf("read, written, read and written again:\n%s\nbecame\n%s", first, second)
		}
	})
}
