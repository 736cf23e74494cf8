package proc

import (
	"strings"
	"testing"
)

func TestALogKeepsTheEnd(t *testing.T) {
	var log Log
	for _, s := range []string{"the beginning", strings.Repeat("a", defaultTail), strings.Repeat("b", 3*defaultTail), "the end"} {
		if n, err := log.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	got := log.String()
	if want := strings.Repeat("b", defaultTail-len("the end")) + "the end"; got != want {
		t.Errorf("%d bytes that end in %q", len(got), got[max(0, len(got)-10):])
	}
}

func TestALogKeepsTheFirstAndTheLast(t *testing.T) {
	e := Log{Head: 1 << 10, Tail: 2 << 10}
	for range 100 {
		e.Write([]byte(strings.Repeat("m", 4096)))
	}
	e.Write([]byte("last"))
	got := e.String()
	if len(got) > 3<<10+20 || !strings.HasPrefix(got, "mmm") || !strings.HasSuffix(got, "last") {
		t.Errorf("%d bytes, ends with %q", len(got), got[len(got)-10:])
	}
	small := Log{Head: 1 << 10, Tail: 2 << 10}
	small.Write([]byte("all "))
	small.Write([]byte("of it"))
	if small.String() != "all of it" {
		t.Errorf("%q", small.String())
	}
}

func TestTheLineThatExplainsADeath(t *testing.T) {
	tests := []struct{ log, want string }{
		{"", ""},
		{"a first line\nout of memory\n\n", "out of memory"},
		{"ready\npanic: no key [recovered]\n\npanic: again\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n", "panic: no key [recovered]"},
		{"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1:\n", "fatal error: all goroutines are asleep - deadlock!"},
		{"do not panic: later\nbye", "bye"},
		{"up\nException in thread \"main\" java.lang.NullPointerException\r\n\tat Lock.main(Lock.java:7)\r\n", `Exception in thread "main" java.lang.NullPointerException`},
		{"Traceback (most recent call last):\n  File \"w.py\", line 1\nKeyError: 'id'\n", "KeyError: 'id'"},
		{"/w.js:3\n  x()\n  ^\n\nTypeError: x is not a function\n    at w.js:3\n\nNode.js v22\n", "TypeError: x is not a function"},
	}
	for _, tt := range tests {
		if got := causeLine(tt.log); got != tt.want {
			t.Errorf("causeLine(%q) = %q, want %q", tt.log, got, tt.want)
		}
	}
}
