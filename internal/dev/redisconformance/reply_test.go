package redisconformance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// maxReply bounds a length in a reply: nothing here is longer.
const maxReply = 1 << 20

// readReply reads one reply of either protocol and returns it as text that
// distinguishes all kinds: +OK, -ERR text, 1, "bulk", nil (RESP2's $-1), nil array
// (*-1), null (RESP3's _), [array], {map}, >[push].
func readReply(r *bufio.Reader) (string, error) { return readNested(r, 0) }

func readNested(r *bufio.Reader, depth int) (string, error) {
	if depth > 8 {
		return "", errors.New("reply is nested too deep")
	}
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", errors.New("empty line instead of a reply")
	}
	kind, rest := line[0], line[1:]
	switch kind {
	case '+', '-', '#', ',':
		return line, nil
	case ':':
		return rest, nil
	case '_':
		return "null", nil
	case '$', '*', '%', '~', '>':
	default:
		return "", fmt.Errorf("%q starts no reply", line)
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < -1 || n > maxReply {
		return "", fmt.Errorf("%q has no length", line)
	}
	switch {
	case n == -1 && kind == '$':
		return "nil", nil
	case n == -1:
		return "nil array", nil
	case kind == '$':
		return readBulk(r, n)
	case kind == '%':
		return readMap(r, n, depth)
	}
	items, err := readItems(r, n, depth)
	open := map[byte]string{'*': "", '~': "~", '>': ">"}[kind]
	return open + "[" + strings.Join(items, ", ") + "]", err
}

func readBulk(r io.Reader, n int) (string, error) {
	b := make([]byte, n+2)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", err
	}
	return strconv.Quote(string(b[:n])), nil
}

func readItems(r *bufio.Reader, n, depth int) ([]string, error) {
	var items []string
	for range n {
		item, err := readNested(r, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func readMap(r *bufio.Reader, n, depth int) (string, error) {
	items, err := readItems(r, 2*n, depth)
	if err != nil {
		return "", err
	}
	var pairs []string
	for i := 0; i < len(items); i += 2 {
		pairs = append(pairs, items[i]+": "+items[i+1])
	}
	return "{" + strings.Join(pairs, ", ") + "}", nil
}

// life matches an integer of at least a second in milliseconds. No other number in
// the transcripts is as large.
var life = regexp.MustCompile(`\b[0-9]{4,}\b`)

// slop allows for Redis counting whole milliseconds of the wall clock, while the
// tests use the monotonic one.
const slop = 3

// alike compares a real server's reply with that of one whose clock stands still
// between the steps: a life may be shorter by the time that the case has taken, which
// is measured, not assumed.
func alike(want, got string, taken time.Duration) bool {
	if want == got {
		return true
	}
	if life.ReplaceAllString(want, "~") != life.ReplaceAllString(got, "~") {
		return false
	}
	wants, gots := life.FindAllString(want, -1), life.FindAllString(got, -1)
	for i := range wants {
		w, errW := strconv.ParseInt(wants[i], 10, 64)
		g, errG := strconv.ParseInt(gots[i], 10, 64)
		if errW != nil || errG != nil || g > w+slop || g < w-taken.Milliseconds()-slop {
			return false
		}
	}
	return true
}

func TestAlikeAllowsForTheTimeTaken(t *testing.T) {
	for _, c := range []struct {
		want, got string
		taken     time.Duration
		alike     bool
	}{
		{"30000", "29990", 10 * time.Millisecond, true},
		{"30000", "29980", 10 * time.Millisecond, false},
		{"30000", "30010", 10 * time.Millisecond, false},
		{"[0, 30000]", "[0, 29995]", 10 * time.Millisecond, true},
		{"[0, 30000]", "[1, 29995]", 10 * time.Millisecond, false},
		{"-1", "-2", time.Hour, false},
		{"1", "0", time.Hour, false},
		{`"a 3000"`, `"b 3000"`, time.Hour, false},
	} {
		if got := alike(c.want, c.got, c.taken); got != c.alike {
			t.Errorf("alike(%q, %q, %v) = %v", c.want, c.got, c.taken, got)
		}
	}
}

func TestReadReply(t *testing.T) {
	for _, c := range []struct{ wire, want string }{
		{"+OK\r\n", "+OK"},
		{"-ERR no\r\n", "-ERR no"},
		{":-2\r\n", "-2"},
		{"$3\r\na b\r\n", `"a b"`},
		{"$-1\r\n", "nil"},
		{"*-1\r\n", "nil array"},
		{"_\r\n", "null"},
		{"*2\r\n:1\r\n$1\r\nx\r\n", `[1, "x"]`},
		{"%1\r\n$1\r\nk\r\n:3\r\n", `{"k": 3}`},
		{">2\r\n:1\r\n:2\r\n", "[1, 2]"},
	} {
		got, err := readReply(bufio.NewReader(strings.NewReader(c.wire)))
		if err != nil || strings.TrimPrefix(got, ">") != c.want {
			t.Errorf("%q reads as %q, %v, want %q", c.wire, got, err, c.want)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add([]byte("*2\r\n:1\r\n$1\r\nx\r\n"))
	f.Add([]byte("%1\r\n$1\r\nk\r\n>1\r\n_\r\n"))
	f.Fuzz(func(_ *testing.T, wire []byte) {
		_, _ = readReply(bufio.NewReader(strings.NewReader(string(wire)))) // must return, and not panic
	})
}
