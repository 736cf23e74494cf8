package tap

import (
	"fmt"
	"strings"
	"testing"
)

func bulks(words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b.String()
}

func confirm(kind, word, channel string, count int) string {
	return fmt.Sprintf("%s3\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n:%d\r\n", kind, len(word), word, len(channel), channel, count)
}

func TestPairing(t *testing.T) {
	const pushed, replied = ">", "*"
	// A step is a command that is sent ("> name") or a reply, and the command
	// it belongs to ("": none, "!": none, which is strange).
	type step struct{ text, want string }
	send := func(names ...string) (steps []step) {
		for _, n := range names {
			steps = append(steps, step{text: "> " + n})
		}
		return steps
	}
	for name, steps := range map[string][]step{
		"in order":           append(send("get", "set"), step{"$-1\r\n", "get"}, step{"+OK\r\n", "set"}),
		"a reply to nothing": {{"+OK\r\n", "!"}},
		"pushed between":     append(send("get"), step{">1\r\n+invalidate\r\n", ""}, step{"+OK\r\n", "get"}),
		"subscribed": append(send("subscribe"), step{confirm(replied, "subscribe", "a", 1), ""},
			step{bulks("message", "a", "x"), ""}, step{bulks("pong", ""), ""}),
		"two channels": append(send("get", "subscribe"), step{"+OK\r\n", "get"},
			step{confirm(replied, "subscribe", "a", 1), ""}, step{confirm(replied, "subscribe", "b", 2), ""}, step{bulks("message", "a", "x"), ""}),
		"back to replies": append(send("psubscribe"), step{confirm(replied, "psubscribe", "a*", 1), ""},
			step{"> punsubscribe", ""}, step{confirm(replied, "punsubscribe", "a*", 0), ""}, step{"> get", ""}, step{"+x\r\n", "get"}),
		"refused subscription": append(send("subscribe", "get"), step{"-NOAUTH\r\n", "subscribe"}, step{"+x\r\n", "get"}),
		"nothing to unsubscribe": append(send("unsubscribe", "get"), step{confirm(replied, "unsubscribe", "a", 0), ""},
			step{confirm(replied, "unsubscribe", "b", 0), ""}, step{"+x\r\n", "get"}),
		"third version": append(send("hello", "subscribe", "get"), step{"%0\r\n", "hello"}, step{confirm(pushed, "subscribe", "a", 1), ""},
			step{">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n", ""}, step{"+x\r\n", "get"}),
		"third version, two channels": append(send("subscribe", "get"), step{confirm(pushed, "subscribe", "a", 1), ""},
			step{confirm(pushed, "subscribe", "b", 2), ""}, step{"+x\r\n", "get"}),
		"a list that looks like a message": append(send("lrange"), step{bulks("subscribe", "a", "x"), "lrange"}),
	} {
		t.Run(name, func(t *testing.T) {
			var q pairing
			for _, s := range steps {
				if name, ok := strings.CutPrefix(s.text, "> "); ok {
					q.sent(&inflight{name: name})
					continue
				}
				p, err := q.reply([]byte(s.text))
				got := ""
				if p != nil {
					got = p.name
				}
				if err != nil {
					got = "!"
				}
				if got != s.want {
					t.Errorf("%q belongs to %q, want %q", s.text, got, s.want)
				}
			}
			if len(q.waiting) > 0 {
				t.Errorf("%d commands still wait, first %s", len(q.waiting), q.waiting[0].name)
			}
		})
	}
}

func TestWhatTouchesTheKey(t *testing.T) {
	for name, tc := range map[string]struct{ commands, touching string }{
		"by name":                  {"set k v|get other|del a k|PING", "set del"},
		"a script":                 {"evalsha 0123 1 k x|eval s 0|fcall f 0|evalsha 0123 1 j x", "evalsha eval fcall evalsha"},
		"not a part of a name":     {"set kk v|set k: v", ""},
		"everything":               {"flushall|flushdb|swapdb 0 1", "flushall flushdb swapdb"},
		"a channel":                {"subscribe k|unsubscribe k|publish k x", "publish"},
		"a transaction":            {"watch k|multi|set k v|incr other|exec|get k", "watch exec get"},
		"another transaction":      {"multi|set other v|exec", ""},
		"a discarded transaction":  {"multi|set k v|discard|exec", ""},
		"exec without transaction": {"set other v|exec", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var x transaction
			var got []string
			for c := range strings.SplitSeq(tc.commands, "|") {
				args := strings.Fields(c)
				if x.applies(args[0], args, "k") {
					got = append(got, args[0])
				}
			}
			if strings.Join(got, " ") != tc.touching {
				t.Errorf("touching: %q, want %q", got, tc.touching)
			}
		})
	}
}
