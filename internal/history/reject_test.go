package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

const (
	goodHeader = `{"version":1,"mode":"sim","scenario":"x","strategy":"naive","seed":1,"clients":["A"],"sections":1,"min_sections":0,"lease":1,"stock":1,"faults":null,"bounds":null}`
	goodEvent  = `{"n":1,"t":5,"k":"entered","c":"A"}`
	goodEnd    = `{"n":2,"t":6,"k":"end"}`
)

func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

func TestReaderRejects(t *testing.T) {
	event := func(line string) string { return lines(goodHeader, line, goodEnd) }
	tests := []struct {
		name, file string
		want       error
		place      string
	}{
		{"an empty file", "", ErrEmpty, "h.jsonl:1: "},
		{"a file without a header", lines(goodEvent, goodEnd), ErrNoHeader, "h.jsonl:1: "},
		{"a file that is not JSON", "hello\n", ErrNoHeader, "h.jsonl:1: "},
		{"a binary file", "\x00\x01\xfe", ErrNoHeader, "h.jsonl:1: "},
		{"an empty first line", lines("", goodHeader), ErrNoHeader, "h.jsonl:1: "},
		{"another version", lines(strings.Replace(goodHeader, `:1,`, `:2,"new":1,`, 1)), ErrVersion, "h.jsonl:1: "},
		{"an unknown key in the header", lines(strings.Replace(goodHeader, `"seed"`, `"sead"`, 1)), ErrUnknownKey, "h.jsonl:1: "},
		{"a header of wrong types", lines(strings.Replace(goodHeader, `"seed":1`, `"seed":-1`, 1)), ErrHeader, "h.jsonl:1: "},
		{"a header with a negative lease", lines(strings.Replace(goodHeader, `"lease":1`, `"lease":-1`, 1)), ErrHeader, "h.jsonl:1: "},
		{"a line over the limit", event(`{"n":1,"t":5,"k":"entered","text":"` + strings.Repeat("x", MaxLine) + `"}`), ErrTooLong, "h.jsonl:2: "},
		{"a header over the limit", strings.Repeat(" ", MaxLine+1), ErrTooLong, "h.jsonl:1: "},
		{"an unknown key", event(`{"n":1,"t":5,"k":"entered","x":1}`), ErrUnknownKey, "h.jsonl:2: "},
		{"a key in capitals", event(`{"N":1,"t":5,"k":"entered"}`), ErrUnknownKey, "h.jsonl:2: "},
		{"a key that comes twice", event(`{"n":1,"t":5,"t":5,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"an unknown kind", event(`{"n":1,"t":5,"k":"danced"}`), ErrUnknownKind, "h.jsonl:2: "},
		{"no kind", event(`{"n":1,"t":5}`), ErrSyntax, "h.jsonl:2: "},
		{"no time", event(`{"n":1,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"no number", event(`{"t":5,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"an empty object", event(`{}`), ErrSyntax, "h.jsonl:2: "},
		{"an empty line", event(``), ErrSyntax, "h.jsonl:2: "},
		{"a list", event(`[]`), ErrSyntax, "h.jsonl:2: "},
		{"half an object", event(`{"n":1,"t":5,"k":"entered"`), ErrSyntax, "h.jsonl:2: "},
		{"two objects on a line", event(goodEvent + goodEvent), ErrSyntax, "h.jsonl:2: "},
		{"a comma too many", event(`{"n":1,"t":5,"k":"entered",}`), ErrSyntax, "h.jsonl:2: "},
		{"a comma too few", event(`{"n":1,"t":5 "k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a colon too few", event(`{"n" 1,"t":5,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a key that is no string", event(`{n:1,"t":5,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a string without an end", event(`{"n":1,"t":5,"k":"entered","c":"A}`), ErrSyntax, "h.jsonl:2: "},
		{"a string ending in a backslash", event(`{"n":1,"t":5,"k":"entered","c":"\`), ErrSyntax, "h.jsonl:2: "},
		{"a control character in a string", event("{\"n\":1,\"t\":5,\"k\":\"entered\",\"c\":\"\x01\"}"), ErrSyntax, "h.jsonl:2: "},
		{"a bad escape", event(`{"n":1,"t":5,"k":"entered","c":"\x"}`), ErrSyntax, "h.jsonl:2: "},
		{"a string for a number", event(`{"n":"1","t":5,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a number for a string", event(`{"n":1,"t":5,"k":"entered","c":1}`), ErrSyntax, "h.jsonl:2: "},
		{"a number for a kind", event(`{"n":1,"t":5,"k":1}`), ErrSyntax, "h.jsonl:2: "},
		{"null for a string", event(`{"n":1,"t":5,"k":"entered","c":null}`), ErrSyntax, "h.jsonl:2: "},
		{"a fraction", event(`{"n":1,"t":5.5,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"an exponent", event(`{"n":1,"t":5E1,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a leading zero", event(`{"n":01,"t":5,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a bare minus", event(`{"n":1,"t":5,"k":"entered","s":-}`), ErrSyntax, "h.jsonl:2: "},
		{"a number of more than 64 bits", event(`{"n":1,"t":9223372036854775808,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a negative number of more than 64 bits", event(`{"n":1,"t":5,"k":"entered","value":-9223372036854775809}`), ErrSyntax, "h.jsonl:2: "},
		{"a number of many digits", event(`{"n":1,"t":99999999999999999999999,"k":"entered"}`), ErrSyntax, "h.jsonl:2: "},
		{"a number that is skipped", event(`{"n":2,"t":5,"k":"entered"}`), ErrOrder, "h.jsonl:2: "},
		{"a number that comes twice", lines(goodHeader, goodEvent, goodEvent), ErrOrder, "h.jsonl:3: "},
		{"time that goes back", lines(goodHeader, goodEvent, `{"n":2,"t":4,"k":"end"}`), ErrOrder, "h.jsonl:3: "},
		{"time before the start", event(`{"n":1,"t":-1,"k":"entered"}`), ErrOrder, "h.jsonl:2: "},
		{"an event after the end", lines(goodHeader, goodEvent, goodEnd, `{"n":3,"t":7,"k":"left"}`), ErrOrder, "h.jsonl:4: "},
		{"no event at all", lines(goodHeader), ErrTruncated, "h.jsonl:1: "},
		{"no end event", lines(goodHeader, goodEvent), ErrTruncated, "h.jsonl:2: "},
		{"a file cut within a line", goodHeader + "\n" + goodEvent[:20], ErrTruncated, "h.jsonl:2: "},
	}
	all := []error{ErrEmpty, ErrNoHeader, ErrHeader, ErrVersion, ErrSyntax, ErrUnknownKey, ErrUnknownKind, ErrOrder, ErrTooLong, ErrTruncated}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readAll(strings.NewReader(tt.file))
			for _, e := range all {
				if got, want := errors.Is(err, e), e == tt.want; got != want {
					t.Errorf("error %v: is %q = %t, want %t", err, e, got, want)
				}
			}
			if err != nil && (!strings.HasPrefix(err.Error(), tt.place) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("error %q, want one line that starts with %q", err, tt.place)
			}
		})
	}
}

func TestReaderAcceptsALastLineWithoutNewline(t *testing.T) {
	events, err := readAll(strings.NewReader(strings.TrimSuffix(lines(goodHeader, goodEvent, goodEnd), "\n")))
	if err != nil || len(events) != 2 {
		t.Errorf("got %d events, %v; want 2", len(events), err)
	}
}

func TestReaderAcceptsALineOfTheLimit(t *testing.T) {
	long := `{"n":1,"t":5,"k":"finding","text":""}`
	long = strings.Replace(long, `""`, `"`+strings.Repeat("x", MaxLine-len(long))+`"`, 1)
	if events, err := readAll(strings.NewReader(lines(goodHeader, long, goodEnd))); err != nil || len(events) != 2 {
		t.Errorf("got %d events, %v; want 2", len(events), err)
	}
}

func TestReadFileReturnsWhatStandsBeforeTheCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.jsonl")
	if err := os.WriteFile(path, []byte(lines(goodHeader, goodEvent)), 0o666); err != nil {
		t.Fatal(err)
	}
	h, events, err := ReadFile(path)
	if !errors.Is(err, ErrTruncated) || h.Scenario != "x" || len(events) != 1 {
		t.Errorf("got header %+v, %d events, %v; want the header, 1 event and %v", h, len(events), err, ErrTruncated)
	}
}

func TestReaderStaysAtItsError(t *testing.T) {
	r, err := NewReader(strings.NewReader(lines(goodHeader, "x", goodEvent, goodEnd)), "h.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var e Event
	first, second := r.Next(&e), r.Next(&e)
	if !errors.Is(first, ErrSyntax) || second != first {
		t.Errorf("Next: %v, then %v; want the same error twice", first, second)
	}
}

func readAll(src io.Reader) ([]Event, error) {
	r, err := NewReader(src, "h.jsonl")
	if err != nil {
		return nil, err
	}
	var events []Event
	for {
		var e Event
		switch err := r.Next(&e); err {
		case nil:
			events = append(events, e)
		case io.EOF:
			return events, nil
		default:
			return events, err
		}
	}
}

// FuzzReader: no input makes the reader panic, and what it accepts is the same
// after it has been written and read again.
func FuzzReader(f *testing.F) {
	f.Add([]byte(lines(goodHeader, goodEvent, goodEnd)))
	f.Add(written(f, someHeader(), randomEvents(9, 20)))
	f.Add([]byte(""))
	f.Add([]byte(goodHeader + "\n" + `{"n":1,"t":0,"k":"end","detail":"\ud800\u2028"}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(strings.NewReader(string(file)), "h.jsonl")
		if err != nil {
			return
		}
		h := r.Header()
		events, err := readAll(strings.NewReader(string(file)))
		if err != nil {
			return
		}
		first := written(t, h, events)
		again, err := readAll(strings.NewReader(string(first)))
		if err != nil {
			t.Fatalf("what was written from an accepted file is not accepted: %v\n%s", err, first)
		}
		if second := written(t, h, again); string(second) != string(first) {
			t.Fatalf("written again it differs:\n%s\n%s", first, second)
		}
	})
}
