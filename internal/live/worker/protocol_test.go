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
		says     string // in the error; empty: the answer is valid
	}{
		{doAcquire, `{"id":3,"ok":true,"fence":7}`, ""},
		{doAcquire, `{"id":3,"ok":false,"error":"not acquired"}`, ""},
		{doWork, `{"id":3,"ok":false,"lost":"lease lost"}`, ""},
		{doStart, `{"id":3,"ok":false,"error":"in its own words"}`, ""},
		{doRelease, `{"ok":true,"id":3}`, ""},
		{doAcquire, ``, "unexpected end of JSON input"},
		{doAcquire, `[]`, "cannot unmarshal array"},
		{doAcquire, `{"id":3,"ok":true}{}`, "after top-level value"},
		{doAcquire, `{"id":3,"ok":true,"fense":7}`, `unknown key "fense"`},
		{doAcquire, `{"id":2,"ok":true}`, "an answer to request 2 instead of 3"},
		{doAcquire, `{"ok":true}`, "an answer to request 0"},
		{doAcquire, `{"id":3,"ok":true,"fence":-1}`, "is positive"},
		{doAcquire, `{"id":3,"ok":false,"error":"not acquired","fence":1}`, "a lease that was acquired"},
		{doRelease, `{"id":3,"ok":true,"fence":1}`, "a lease that was acquired"},
		{doAcquire, `{"id":3}`, `say why in "error" alone`},
		{doAcquire, `{"id":3,"ok":false,"lost":"lease lost"}`, `say why in "error" alone`},
		{doAcquire, `{"id":3,"ok":false,"error":"busy"}`, `none of ["renewal capped"`},
		{doAcquire, `{"id":3,"ok":true,"error":"not acquired"}`, "ok, with a reason"},
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
		case tt.says != "" && (!errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%s %s: %v, want ErrProtocol with %q", tt.do, tt.line, err, tt.says)
		}
	}
}

func TestAProtocolErrorIsBounded(t *testing.T) {
	if n := len(protocolError(bytes.Repeat([]byte{0}, maxLine), "wrong").Error()); n > 600 {
		t.Errorf("%d bytes", n)
	}
}

func TestAConfiguredTimeIsAtLeastAMillisecond(t *testing.T) {
	for _, d := range []time.Duration{0, time.Nanosecond, time.Microsecond, time.Millisecond} {
		if ms := Millis(d); ms != 1 {
			t.Errorf("%v: %d ms", d, ms)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add(doAcquire, []byte(`{"id":3,"ok":true,"fence":7}`))
	f.Add(doWork, []byte(`{"id":3,"ok":false,"lost":"lease lost"}`))
	f.Add(doSend, []byte("\x00{"))
	f.Fuzz(func(t *testing.T, do string, line []byte) {
		a, err := parseAnswer(line, request{ID: 3, Do: do})
		if err != nil {
			if !errors.Is(err, ErrProtocol) || len(err.Error()) > 2000 && len(line) > 2000 {
				t.Errorf("%v", err)
			}
			return
		}
		if a.ID != 3 || !a.OK && a.Error+a.Lost == "" {
			t.Errorf("%q was accepted as %+v", line, a)
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
			t.Errorf("%s cannot be parsed again: %v", text, err)
		}
	})
}
