package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParseAnswer(t *testing.T) {
	tests := []struct {
		do, line string
		says     string // empty: it is an answer
	}{
		{doAcquire, `{"id":3,"ok":true,"fence":7}`, ""},
		{doAcquire, `{"id":3,"ok":false,"error":"not acquired"}`, ""},
		{doWork, `{"id":3,"ok":false,"lost":"lease lost"}`, ""},
		{doStart, `{"id":3,"ok":false,"error":"in its own words"}`, ""},
		{doRelease, `{"ok":true,"id":3}`, ""},
		{doAcquire, ``, "EOF"},
		{doAcquire, `[]`, "cannot unmarshal"},
		{doAcquire, `{"id":3,"ok":true}{}`, "more than one value"},
		{doAcquire, `{"id":3,"ok":true,"fense":7}`, `unknown field "fense"`},
		{doAcquire, `{"id":2,"ok":true}`, "an answer to request 2, where 3 was asked"},
		{doAcquire, `{"ok":true}`, "an answer to request 0"},
		{doAcquire, `{"id":3,"ok":true,"fence":-1}`, "is positive"},
		{doAcquire, `{"id":3,"ok":false,"error":"not acquired","fence":1}`, "a lease that was acquired"},
		{doRelease, `{"id":3,"ok":true,"fence":1}`, "a lease that was acquired"},
		{doAcquire, `{"id":3}`, `say why in "error" alone`},
		{doAcquire, `{"id":3,"ok":false,"lost":"lease lost"}`, `say why in "error" alone`},
		{doAcquire, `{"id":3,"ok":false,"error":"busy"}`, `none of ["renewal capped"`},
		{doAcquire, `{"id":3,"ok":true,"error":"not acquired"}`, "ok, and yet"},
		{doWork, `{"id":3,"ok":false,"error":"lease lost"}`, `say why in "lost" alone`},
		{doCheck, `{"id":3,"ok":false,"lost":"gone"}`, "none of"},
		{doSend, `{"id":3,"ok":false,"error":"network"}`, "cannot fail"},
		{doStop, `{"id":3,"ok":false,"error":"network"}`, "cannot fail"},
	}
	for _, tt := range tests {
		_, err := parseAnswer([]byte(tt.line), request{ID: 3, Do: tt.do})
		switch {
		case tt.says == "" && err != nil:
			t.Errorf("%s %s: %v", tt.do, tt.line, err)
		case tt.says != "" && (!errors.Is(err, ErrRubbish) || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%s %s: %v, want ErrRubbish with %q", tt.do, tt.line, err, tt.says)
		}
	}
}

func TestRubbishIsBounded(t *testing.T) {
	if n := len(rubbish(bytes.Repeat([]byte{0}, maxLine), "wrong").Error()); n > 600 {
		t.Errorf("%d bytes", n)
	}
}

func TestTheLineThatTellsWhyAWorkerDied(t *testing.T) {
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
		if got := telling(tt.log); got != tt.want {
			t.Errorf("of %q it is %q, want %q", tt.log, got, tt.want)
		}
	}
}

func TestATimeTooShortForAMillisecondIsOne(t *testing.T) {
	s := Config{Lease: time.Microsecond, Renew: time.Nanosecond}.wire()
	if s.LeaseMS != 1 || s.RenewMS != 1 {
		t.Errorf("%+v", s)
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add(doAcquire, []byte(`{"id":3,"ok":true,"fence":7}`))
	f.Add(doWork, []byte(`{"id":3,"ok":false,"lost":"lease lost"}`))
	f.Add(doSend, []byte("\x00{"))
	f.Fuzz(func(t *testing.T, do string, line []byte) {
		a, err := parseAnswer(line, request{ID: 3, Do: do})
		if err != nil {
			if !errors.Is(err, ErrRubbish) || len(err.Error()) > 2000 && len(line) > 2000 {
				t.Errorf("%v", err)
			}
			return
		}
		if a.ID != 3 || !a.OK && a.Error+a.Lost == "" {
			t.Errorf("%q was taken for %+v", line, a)
		}
	})
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"id":1,"do":"start","version":1,"redis":"127.0.0.1:1","lease_ms":1}`))
	f.Add([]byte(`{"id":2,"do":"acquire","wait_ms":5}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseRequest(line)
		if err != nil {
			return
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseRequest(text); err != nil {
			t.Errorf("%s is not read back: %v", text, err)
		}
	})
}
