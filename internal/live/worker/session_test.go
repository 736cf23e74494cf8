package worker

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/strictjson"
)

const document = "../../../docs/worker-protocol.md"

// session returns the requests and answers of the documented session.
func session(t *testing.T) (sent, answers []string) {
	t.Helper()
	for _, l := range documentLines(t) {
		if s, ok := strings.CutPrefix(l, "→ "); ok {
			sent = append(sent, s)
		}
		if s, ok := strings.CutPrefix(l, "← "); ok {
			answers = append(answers, s)
		}
	}
	if len(sent) == 0 || len(sent) != len(answers) {
		t.Fatalf("%s: %d requests and %d answers", document, len(sent), len(answers))
	}
	return sent, answers
}

func documentLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// converse conducts the documented session with a worker over its two streams.
func converse(t *testing.T, to io.Writer, from io.Reader) {
	t.Helper()
	addr := redisServer(t).Addr()
	lines := bufio.NewReader(from)
	sent, answers := session(t)
	for i, s := range sent {
		s = strings.Replace(s, "127.0.0.1:41234", addr, 1)
		if _, err := io.WriteString(to, s+"\n"); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		got, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("after %s: %v", s, err)
		}
		if diff := cmp.Diff(value(t, answers[i]), value(t, got)); diff != "" {
			t.Errorf("the answer to %s differs from the document (-document +worker):\n%s", s, diff)
		}
	}
}

func value(t *testing.T, text string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

func TestTheDocumentedSession(t *testing.T) {
	in, to := io.Pipe()
	from, out := io.Pipe()
	code := make(chan int)
	var log proc.Log
	go func() { code <- Main(in, out, &log) }()
	converse(t, to, from)
	if c := <-code; c != 0 {
		t.Errorf("exit code %d: %s", c, log.String())
	}
}

func TestTheDocumentedSessionInPython(t *testing.T) {
	c := exec.CommandContext(t.Context(), python(t).Path, workerPy)
	var log proc.Log
	c.Stderr = &log
	to, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	converse(t, to, from)
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, log.String())
	}
}

// The documented requests are those that the harness sends, and the documented
// answers are valid.
func TestTheDocumentedLinesAreStrict(t *testing.T) {
	sent, answers := session(t)
	for i, s := range sent {
		r, err := parseRequest([]byte(s))
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		again, err := json.Marshal(r)
		if err != nil || string(again) != s {
			t.Errorf("the harness sends %s, the document %s", again, s)
		}
		if _, err := parseAnswer([]byte(answers[i]), r); err != nil {
			t.Error(err)
		}
	}
	others := 0
	for _, l := range documentLines(t) {
		do, text, ok := strings.Cut(l, " ← ")
		if !ok {
			continue
		}
		others++
		var a Answer
		if err := strictjson.Unmarshal([]byte(text), &a, answerKeys, 0); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if wrong := a.invalid(strings.TrimSpace(do)); wrong != "" {
			t.Errorf("%s: %s", text, wrong)
		}
	}
	if others == 0 {
		t.Error("no other answers are documented")
	}
}

func TestTheWorkerEndsWithItsInput(t *testing.T) {
	m := redisServer(t)
	p, must := begin(t, config(m.Addr(), "naive", "A")), must(t)
	want(t, "acquire", must(p.Acquire(t.Context(), time.Minute)), Answer{OK: true})
	if err := p.In.Close(); err != nil { // as it is when the harness dies
		t.Fatal(err)
	}
	if e := p.Exit(); e.Status != "exit status 0" {
		t.Errorf("%s: %s", e.Status, p.Log())
	}
}

func TestAnInvalidRequestEndsTheWorker(t *testing.T) {
	for _, s := range []string{"hello", `{"id":1,"do":"check","wat":1}`, `{"id":1,"do":"work","ms":-1}`, `{} {}`} {
		var log proc.Log
		if code := Main(strings.NewReader(s+"\n"), io.Discard, &log); code != 2 || !strings.Contains(log.String(), "worker: request ") {
			t.Errorf("%s: exit code %d, log %q", s, code, log.String())
		}
	}
}
