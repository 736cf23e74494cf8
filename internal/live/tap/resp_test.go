package tap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestReplies(t *testing.T) {
	for _, whole := range []string{
		"+OK\r\n", "-ERR no\r\n", ":-12\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "(123456789012345678901\r\n",
		"$0\r\n\r\n", "$-1\r\n", "$5\r\na\r\nb\n\r\n", "=7\r\ntxt:abc\r\n", "!3\r\nERR\r\n",
		"*0\r\n", "*-1\r\n", "*2\r\n*1\r\n:1\r\n$1\r\nx\r\n", "~1\r\n+a\r\n", "%1\r\n+a\r\n*1\r\n:1\r\n",
		"|1\r\n+ttl\r\n:3\r\n$1\r\nx\r\n", ">2\r\n+message\r\n+x\r\n",
		"+" + strings.Repeat("x", readSize-10) + "\r\n",
		fmt.Sprintf("$%d\r\n%s\r\n", 3*readSize, strings.Repeat("y", 3*readSize)),
	} {
		t.Run(fmt.Sprintf("%.20q", whole), func(t *testing.T) {
			r := newReader(strings.NewReader(whole + "+next\r\n"))
			if err := r.reply(); err != nil {
				t.Fatal(err)
			}
			if r.raw.String() != whole {
				t.Errorf("read %.60q", r.raw.Bytes())
			}
			if err := r.reply(); err != nil || r.raw.String() != "+next\r\n" {
				t.Errorf("then read %.60q, %v", r.raw.Bytes(), err)
			}
			if err := r.reply(); err != io.EOF {
				t.Errorf("then %v, want EOF", err)
			}
			cut := newReader(strings.NewReader(whole[:len(whole)-1]))
			if err := cut.reply(); err != io.ErrUnexpectedEOF || cut.raw.String() != whole[:len(whole)-1] {
				t.Errorf("cut short: %v with %.60q", err, cut.raw.Bytes())
			}
		})
	}
}

func TestCommands(t *testing.T) {
	for in, want := range map[string][]string{
		"*1\r\n$4\r\nPING\r\n":                     {"PING"},
		"*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n":      {"GET", "a\r\nb"},
		"*3\r\n$3\r\nSET\r\n$0\r\n\r\n$1\r\nx\r\n": {"SET", "", "x"},
		"*0\r\n":  {},
		"*-1\r\n": {},
	} {
		t.Run(fmt.Sprintf("%q", in), func(t *testing.T) {
			r := newReader(strings.NewReader(in))
			args, err := r.command()
			if err != nil || len(args) != len(want) {
				t.Fatalf("%q, %v, want %q", args, err, want)
			}
			for i := range want {
				if args[i] != want[i] {
					t.Errorf("argument %d is %q, want %q", i, args[i], want[i])
				}
			}
		})
	}
}

func TestMalformedStreamsKeepTheirBytes(t *testing.T) {
	for name, in := range map[string]string{
		"inline": "PING\r\n", "empty line": "\r\n", "bare newline": "*1\n", "no length": "*\r\n", "a length of letters": "*x\r\n",
		"below none": "*-2\r\n", "no such length": "*99999999999\r\n", "too long a string": "*1\r\n$999999999\r\n",
		"none in a command": "*1\r\n$-1\r\n", "a number in a command": "*1\r\n:1\r\n", "a string that goes on": "*1\r\n$1\r\nabc\r\n",
		"an endless line": "*" + strings.Repeat("1", 3*readSize),
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(strings.NewReader(in))
			_, err := r.command()
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("error %v, want ErrMalformed", err)
			}
			checkBytes(t, r, in)
		})
	}
}

// checkBytes checks that the bytes read and the rest make up the input.
func checkBytes(t *testing.T, r *reader, in string) {
	t.Helper()
	raw := bytes.Clone(r.raw.Bytes())
	rest, err := io.ReadAll(r.br)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(raw) + string(rest); got != in {
		t.Errorf("bytes changed: %.60q became %.60q", in, got)
	}
}

func TestAnAnnouncedLengthTakesNoMemory(t *testing.T) {
	r := newReader(strings.NewReader(fmt.Sprintf("$%d\r\nabc", maxBulk)))
	if err := r.reply(); err != io.ErrUnexpectedEOF {
		t.Fatal(err)
	}
	if r.raw.Cap() > 4*readSize {
		t.Errorf("%d bytes taken for 3", r.raw.Cap())
	}
}

func FuzzStreams(f *testing.F) {
	f.Add("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n+OK\r\n")
	f.Add("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n")
	f.Add("|1\r\n+a\r\n%1\r\n+b\r\n_\r\n>0\r\n$-1\r\n*1000000000\r\n")
	f.Fuzz(func(t *testing.T, in string) {
		read := map[string]func(*reader) error{
			"commands": func(r *reader) error { _, err := r.command(); return err },
			"replies":  func(r *reader) error { err := r.reply(); confirms(r.raw.Bytes()); return err },
		}
		for name, next := range read {
			r := newReader(strings.NewReader(in))
			var got []byte
			var err error
			for err == nil {
				err = next(r)
				got = append(got, r.raw.Bytes()...)
			}
			rest, _ := io.ReadAll(r.br)
			if string(got)+string(rest) != in {
				t.Fatalf("%s: bytes changed: %q became %q and %q", name, in, got, rest)
			}
		}
	})
}
