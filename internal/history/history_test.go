package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// randomEvents makes n events that a reader accepts, with every field used and
// with strings that need escapes.
func randomEvents(seed uint64, n int) []Event {
	r := rand.New(rand.NewPCG(seed, 1))
	words := []string{"", "", "A", "client-7", "1:pause", `say "no"`, `back\slash`, "<a&b>", "naïve", "tab\tline\n", "\x00\x7f", "bad\xffutf8", "\u2028", "日本"}
	word := func() string { return words[r.IntN(len(words))] }
	number := func() int64 {
		switch r.IntN(4) {
		case 0:
			return 0
		case 1:
			return r.Int64()
		case 2:
			return -r.Int64() - 1
		}
		return int64(r.IntN(100))
	}
	events := make([]Event, n)
	var at int64
	for i := range events {
		at += int64(r.IntN(1e9))
		events[i] = Event{
			Seq: i + 1, At: at, Kind: kinds[r.IntN(len(kinds)-1)], Client: word(), Section: int(number()), Owner: word(),
			Fence: number(), Value: number(), Version: number(), Dur: number(), Fault: word(), Detail: word(), Text: word(),
		}
	}
	events[n-1].Kind = End
	return events
}

func someHeader() Header {
	return Header{
		Version: FormatVersion, Mode: "sim", Scenario: "gc-pause", Strategy: "naive", Seed: 1<<64 - 1, Clients: []string{"A", "B"},
		Sections: 4, MinSections: 2, Lease: 30e9, Stock: 100, Faults: []string{"1:pause"}, Bounds: map[string]int64{"stuck": 5e9, "orphan": 1e9},
	}
}

func TestWriterWritesWhatEncodingJSONWould(t *testing.T) {
	for _, e := range randomEvents(1, 5000) {
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := bytes.Cut(written(t, Header{}, []Event{e}), []byte("\n"))
		if got = bytes.TrimSuffix(got, []byte("\n")); !bytes.Equal(got, want) {
			t.Fatalf("event %+v\n got %s\nwant %s", e, got, want)
		}
	}
}

func TestReaderReadsWhatWasWritten(t *testing.T) {
	events := randomEvents(2, 2000)
	h := someHeader()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(path, written(t, h, events), 0o666); err != nil {
		t.Fatal(err)
	}
	gotHeader, got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		// JSON has no bytes that are not UTF-8.
		for _, s := range []*string{&events[i].Client, &events[i].Owner, &events[i].Fault, &events[i].Detail, &events[i].Text} {
			*s = strings.ToValidUTF8(*s, "\ufffd")
		}
	}
	if d := cmp.Diff(h, gotHeader); d != "" {
		t.Errorf("header (-written +read):\n%s", d)
	}
	if d := cmp.Diff(events, got); d != "" {
		t.Errorf("events (-written +read):\n%s", d)
	}
}

func TestReaderAgreesWithEncodingJSON(t *testing.T) {
	lines := []string{
		` { "n" : 1 , "t" : 2 , "k" : "entered" , "c" : "A" } `,
		`{"k":"read","t":0,"n":1,"value":-9223372036854775808,"version":9223372036854775807}`,
		`{"n":1,"t":0,"k":"finding","text":"\u0041\n\"\\\ud83d\ude00\ud800"}`,
		`{"n":1,"t":0,"\u006b":"end","detail":"é"}`,
		`{"n":1,"t":-0,"k":"end"}`,
	}
	for _, line := range lines {
		var want, got Event
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if problem, detail := decode([]byte(line), &got, eventKeys, 3, ErrSyntax); problem != nil {
			t.Errorf("%s: %v %s", line, problem, detail)
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-encoding/json +reader):\n%s", line, d)
		}
	}
}

func TestHashIsOfTheVeryBytes(t *testing.T) {
	h, events := someHeader(), randomEvents(3, 50)
	one := Hash(h, events)
	if again := Hash(h, events); again != one {
		t.Errorf("the same history hashes to %s, then to %s", one, again)
	}
	if want := sha(written(t, h, events)); one != want {
		t.Errorf("hash %s, want that of the file, %s", one, want)
	}
	events[20].Value++
	if Hash(h, events) == one {
		t.Error("another history has the same hash")
	}
}

func TestWriterKeepsItsFirstError(t *testing.T) {
	full := errors.New("disk full")
	w := NewWriter(failing{full}, someHeader())
	for _, e := range randomEvents(4, 2000) {
		w.Event(&e)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v, want %v", err, full)
	}
}

func TestReaderPassesOnAnErrorOfItsSource(t *testing.T) {
	broken := errors.New("pulled out")
	src := io.MultiReader(bytes.NewReader(written(t, someHeader(), nil)), failing{broken})
	r, err := NewReader(src, "h.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Next(new(Event)); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "h.jsonl:2: ") {
		t.Errorf("Next: %v, want %v at h.jsonl:2", err, broken)
	}
}

func TestReadFileThatIsNotThere(t *testing.T) {
	if _, _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %v", err, os.ErrNotExist)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (f failing) Read([]byte) (int, error)  { return 0, f.err }

// written is the history as a file.
func written(t testing.TB, h Header, events []Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, h)
	for i := range events {
		w.Event(&events[i])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
