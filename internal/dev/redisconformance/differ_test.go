// Package redisconformance compares miniredis with a real redis-server. It contains
// tests only.
//
// The virtual world judges locks on miniredis, which proves nothing unless miniredis
// answers a lock's commands as Redis does. Testdata contains transcripts of commands
// and of redis-server's replies, including time that passes and a clock that jumps
// both ways. The tests send both servers the same commands, replay on both whatever
// the strategies of package lock really send, and run the strategies on both.
//
// Goals: every difference that a lock could notice is found, pinned by a test and
// listed in docs/miniredis.md, so that new differences, and ones fixed upstream, are
// noticed. If a lock starts to send another command, the tests fail until a
// transcript contains it.
// Non-goals: commands that no strategy sends, and speed.
package redisconformance

import (
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write redis-server's and miniredis's replies into the transcripts")

// No redis-server is needed here: its replies are in the transcripts.
func TestMiniredisAnswersAsRecorded(t *testing.T) {
	eachCase(t, startMiniredis(t), true)
}

// The transcripts contain what a real redis-server answers.
func TestRedisServerAnswersAsRecorded(t *testing.T) {
	real := startRedis(t, recordedOf)
	if *update {
		record(t, real, startMiniredis(t))
	}
	eachCase(t, real, false)
}

func eachCase(t *testing.T, srv server, miniredis bool) {
	t.Helper()
	all := files(t)
	for _, file := range slices.Sorted(maps.Keys(all)) {
		for _, c := range all[file].cases {
			t.Run(file+"/"+c.name, func(t *testing.T) {
				p := newPlayer(t, srv)
				defer p.close()
				for _, s := range c.steps {
					got := p.perform(s)
					taken := time.Since(p.began)
					if miniredis {
						taken = 0 // its clock stands still
					}
					if want := s.expected(miniredis); !alike(want, got, taken) {
						t.Fatalf("%v\nanswered %s\nwant     %s", s, got, want)
					}
				}
			})
		}
	}
}

// record writes the replies of both servers into the transcripts. New differences
// must be added to docs/miniredis.md by hand.
func record(t *testing.T, real, fake server) {
	t.Helper()
	for name, file := range files(t) {
		for _, c := range file.cases {
			r, f := newPlayer(t, real), newPlayer(t, fake)
			for i := range c.steps {
				s := &c.steps[i]
				s.redis, s.miniredis = r.perform(*s), f.perform(*s)
				if alike(s.miniredis, s.redis, time.Since(r.began)) {
					s.redis, s.miniredis = s.miniredis, "" // with a life as if no time had passed
				}
			}
			r.close()
			f.close()
		}
		if err := os.WriteFile("testdata/"+name+".txt", []byte(file.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every case in which the servers differ is named in a row of the document, and every
// row names an existing case.
func TestDifferencesAreListed(t *testing.T) {
	var found []string
	for file, tr := range files(t) {
		for _, c := range tr.cases {
			if slices.ContainsFunc(c.steps, func(s step) bool { return s.miniredis != "" }) {
				found = append(found, file+"/"+c.name)
			}
		}
	}
	text, err := os.ReadFile("../../../docs/miniredis.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("`([a-z]+/[^`]+)`").FindAllStringSubmatch(string(text), -1) {
		if _, ok := files(t)[strings.Split(m[1], "/")[0]]; ok {
			listed = append(listed, m[1])
		}
	}
	slices.Sort(found)
	slices.Sort(listed)
	listed = slices.Compact(listed)
	if !slices.Equal(found, listed) {
		t.Errorf("docs/miniredis.md lists\n  %s\nthe transcripts differ in\n  %s",
			strings.Join(listed, "\n  "), strings.Join(found, "\n  "))
	}
}
