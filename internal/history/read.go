package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/lockchaos/simrun/internal/strictjson"
)

// MaxLine is the longest line that a history may have, in bytes.
const MaxLine = 1 << 20

// Problem is a reason to reject a history. The exported Err values are all there
// are; errors.Is tells them apart in the errors of [Reader] and [ReadFile].
type Problem struct{ what, remedy string }

// Error says what is wrong, without the place.
func (p *Problem) Error() string { return p.what }

// The problems of a history.
var (
	// ErrEmpty: there is nothing in the file.
	ErrEmpty = &Problem{"empty history", "record the run again"}
	// ErrNoHeader: the first line is not a header.
	ErrNoHeader = &Problem{"the first line is not a header", "give a history.jsonl as simrun writes it, from its first line"}
	// ErrHeader: a value in the header is impossible.
	ErrHeader = &Problem{"bad header", "record the run again"}
	// ErrVersion: another version of the format.
	ErrVersion = &Problem{"unknown version of the format", "read it with the simrun that wrote it, or record the run again"}
	// ErrSyntax: a line is not one JSON object of the fields' types.
	ErrSyntax = &Problem{"not an event", "each line must be one JSON object as simrun writes it"}
	// ErrUnknownKey: a key that no event and no header has.
	ErrUnknownKey = &Problem{"unknown key", "remove it, or read the file with the simrun that wrote it"}
	// ErrUnknownKind: a kind of event that is not in [Kinds].
	ErrUnknownKind = &Problem{"unknown kind of event", "correct it, or read the file with the simrun that wrote it"}
	// ErrOrder: n does not count up by one, t goes back, or a line follows the end.
	ErrOrder = &Problem{"event out of order", "a history must be kept whole and in the order it was written"}
	// ErrTooLong: a line of more than [MaxLine] bytes.
	ErrTooLong = &Problem{"line longer than 1 MiB", "no event is that long: is this a history?"}
	// ErrTruncated: the file stops before the run's end event. The events before
	// that are sound, but what is absent from them proves nothing.
	ErrTruncated = &Problem{"history stops before its end event", "the run was cut short: record it again"}
)

// Reader reads a history event by event, in constant memory. It is strict:
// whatever it does not understand completely is an error that names file, line
// and remedy and wraps one of the Err values of this package.
type Reader struct {
	name   string
	in     *bufio.Reader
	header Header
	line   int
	seq    int
	at     int64
	ended  bool
	err    error // that Next keeps returning
}

// NewReader reads the header of the history in r; name is for errors.
func NewReader(r io.Reader, name string) (*Reader, error) {
	in := &Reader{name: name, in: bufio.NewReaderSize(r, MaxLine+1), line: 1}
	line, _, err := in.readLine()
	switch {
	case errors.Is(err, io.EOF):
		return nil, in.fail(ErrEmpty, "")
	case err != nil:
		return nil, err
	}
	return in, in.readHeader(line)
}

// Header is the history's header.
func (r *Reader) Header() Header { return r.header }

// Next reads the next event into e, whose strings may be kept. It returns
// io.EOF after the end event, and [ErrTruncated] where the file stops before.
func (r *Reader) Next(e *Event) error {
	if r.err == nil {
		r.err = r.event(e)
	}
	return r.err
}

func (r *Reader) event(e *Event) error {
	line, whole, err := r.readLine()
	switch {
	case errors.Is(err, io.EOF) && r.ended:
		return io.EOF
	case errors.Is(err, io.EOF):
		r.line--
		return r.fail(ErrTruncated, "")
	case err != nil:
		return err
	case r.ended:
		return r.fail(ErrOrder, "a line follows the end event")
	}
	*e = Event{}
	if !quick(line, e) {
		*e = Event{} // without what was read of it
		if problem, detail := decode(line, e, eventKeys, 3, ErrSyntax); problem != nil {
			if !whole {
				problem, detail = ErrTruncated, "in the middle of a line"
			}
			return r.fail(problem, detail)
		}
	}
	switch {
	case !slices.Contains(kinds, e.Kind):
		return r.fail(ErrUnknownKind, fmt.Sprintf("%q", e.Kind))
	case e.Seq != r.seq+1:
		return r.fail(ErrOrder, fmt.Sprintf("n is %d after %d", e.Seq, r.seq))
	case e.At < r.at:
		return r.fail(ErrOrder, fmt.Sprintf("t is %d after %d", e.At, r.at))
	}
	r.line++
	r.seq, r.at, r.ended = e.Seq, e.At, e.Kind == End
	return nil
}

// fail gives a problem its place and its detail.
func (r *Reader) fail(p *Problem, detail string) error {
	if detail != "" {
		detail = " (" + detail + ")"
	}
	return fmt.Errorf("%s:%d: %w%s; %s", r.name, r.line, p, detail, p.remedy)
}

// readLine returns the next line, and whether a newline ended it.
func (r *Reader) readLine() (line []byte, whole bool, err error) {
	line, err = r.in.ReadSlice('\n')
	switch {
	case err == nil:
		return line[:len(line)-1], true, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, false, r.fail(ErrTooLong, "")
	case errors.Is(err, io.EOF) && len(line) > 0:
		return line, false, nil
	case errors.Is(err, io.EOF):
		return nil, false, io.EOF
	}
	return nil, false, fmt.Errorf("%s:%d: read history: %w", r.name, r.line, err)
}

func (r *Reader) readHeader(line []byte) error {
	var peek struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(line, &peek); err != nil {
		return r.fail(ErrNoHeader, "not a JSON object with a version")
	}
	if peek.Version == nil {
		return r.fail(ErrNoHeader, "no version")
	}
	if *peek.Version != FormatVersion {
		return r.fail(ErrVersion, fmt.Sprintf("version %d, this simrun reads %d", *peek.Version, FormatVersion))
	}
	if problem, detail := decode(line, &r.header, headerKeys, 0, ErrHeader); problem != nil {
		return r.fail(problem, detail)
	}
	if h := r.header; h.Lease < 0 || h.Sections < 0 || h.MinSections < 0 {
		return r.fail(ErrHeader, "lease, sections and min_sections cannot be negative")
	}
	r.line++
	return nil
}

// The keys that a line may have; an event must have the first three.
var eventKeys, headerKeys = strictjson.Keys[Event](), strictjson.Keys[Header]()

// quickKeys are eventKeys as they stand in a line, in the order of [Event].
var quickKeys = func() (all [][]byte) {
	for _, key := range eventKeys {
		all = append(all, fmt.Appendf(nil, ",%q:", key))
		all[0][0] = '{'
	}
	return all
}()

// quick reads an event as it is written: without white space, escapes, negative
// numbers or characters beyond ASCII. It reports false for any other line, which
// encoding/json then reads, in eight times the time.
func quick(line []byte, e *Event) bool {
	var seq, section int64
	for i, into := range [...]any{
		&seq, &e.At, (*string)(&e.Kind), &e.Client, &section, &e.Owner,
		&e.Fence, &e.Value, &e.Version, &e.Dur, &e.Fault, &e.Detail, &e.Text,
	} {
		value, found := bytes.CutPrefix(line, quickKeys[i])
		if !found && i < 3 {
			return false
		} else if !found {
			continue
		}
		end := 0
		switch into := into.(type) {
		case *string:
			if end = 1 + bytes.IndexByte(value[min(1, len(value)):], '"'); end == 0 || value[0] != '"' || bytes.ContainsFunc(value[1:end], special) {
				return false
			}
			*into = string(value[1:end])
			end++
		case *int64:
			for end < len(value) && '0' <= value[end] && value[end] <= '9' {
				end++
			}
			n, err := strconv.ParseInt(string(value[:end]), 10, 64)
			if err != nil || value[0] == '0' && end > 1 {
				return false
			}
			*into = n
		}
		line = value[end:]
	}
	e.Seq, e.Section = int(seq), int(section)
	return string(line) == "}" && int64(e.Seq) == seq && int64(e.Section) == section
}

func special(r rune) bool { return r < ' ' || r > '~' || r == '\\' }

// decode reads a line into v. It returns other for any mistake but an unknown key.
func decode(line []byte, v any, keys []string, required int, other *Problem) (*Problem, string) {
	err := strictjson.Unmarshal(line, v, keys, required)
	var unknown strictjson.UnknownKey
	switch {
	case err == nil:
		return nil, ""
	case errors.As(err, &unknown):
		return ErrUnknownKey, fmt.Sprintf("%q", string(unknown))
	}
	return other, err.Error()
}

// ReadFile reads a whole history. Where it is rejected, the events before the
// mistake are returned with the error, so that a history that was cut short
// ([ErrTruncated]) can still be looked at.
func ReadFile(path string) (h Header, events []Event, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Header{}, nil, fmt.Errorf("open history: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := NewReader(f, path)
	if err != nil {
		return Header{}, nil, err
	}
	for {
		var e Event
		if err := r.Next(&e); errors.Is(err, io.EOF) {
			return r.Header(), events, nil
		} else if err != nil {
			return r.Header(), events, err
		}
		events = append(events, e)
	}
}
