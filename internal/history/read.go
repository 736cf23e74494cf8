package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// MaxLine is the longest line that a history may have, in bytes.
const MaxLine = 1 << 20

// Reader reads a history event by event, in constant memory. It is strict:
// what it does not wholly understand is an error that names file, line and
// remedy, told apart by errors.Is with the Err values of this package.
type Reader struct {
	name   string
	in     *bufio.Reader
	scan   scanner
	header Header
	line   int
	seq    int
	at     int64
	ended  bool
	err    error // what Next returned last, so that it stays
}

// NewReader reads the header of the history in r; name is for errors.
func NewReader(r io.Reader, name string) (*Reader, error) {
	in := &Reader{name: name, in: bufio.NewReaderSize(r, MaxLine+1), scan: scanner{words: map[string]string{}}}
	line, _, err := in.next()
	if err == io.EOF {
		return nil, ErrEmpty.at(name, 1, "")
	}
	if err != nil {
		return nil, err
	}
	if in.header, err = readHeader(line, name); err != nil {
		return nil, err
	}
	return in, nil
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
	line, whole, err := r.next()
	switch {
	case err == io.EOF && r.ended:
		return io.EOF
	case err == io.EOF:
		return ErrTruncated.at(r.name, r.line, "")
	case err != nil:
		return err
	}
	if r.ended {
		return ErrOrder.at(r.name, r.line, "a line follows the end event")
	}
	if bad := r.scan.event(line, e); bad != nil {
		if !whole {
			return ErrTruncated.at(r.name, r.line, "in the middle of a line")
		}
		return bad.problem.at(r.name, r.line, bad.detail)
	}
	if e.Seq != r.seq+1 {
		return ErrOrder.at(r.name, r.line, fmt.Sprintf("n is %d after %d", e.Seq, r.seq))
	}
	if e.At < r.at {
		return ErrOrder.at(r.name, r.line, fmt.Sprintf("t is %d after %d", e.At, r.at))
	}
	r.seq, r.at, r.ended = e.Seq, e.At, e.Kind == End
	return nil
}

// next is the next line, and whether a newline ended it.
func (r *Reader) next() (line []byte, whole bool, err error) {
	line, err = r.in.ReadSlice('\n')
	if len(line) > 0 {
		r.line++
	}
	switch {
	case err == nil:
		return line[:len(line)-1], true, nil
	case err == bufio.ErrBufferFull:
		return nil, false, ErrTooLong.at(r.name, r.line, "")
	case err == io.EOF && len(line) > 0:
		return line, false, nil
	case err == io.EOF:
		return nil, false, io.EOF
	}
	return nil, false, fmt.Errorf("%s:%d: read history: %w", r.name, r.line+1, err)
}

// readHeader reads the first line.
func readHeader(line []byte, name string) (Header, error) {
	var peek struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(line, &peek); err != nil {
		return Header{}, ErrNoHeader.at(name, 1, "not a JSON object with a version")
	}
	if peek.Version == nil {
		return Header{}, ErrNoHeader.at(name, 1, "no version")
	}
	if *peek.Version != FormatVersion {
		return Header{}, ErrVersion.at(name, 1, fmt.Sprintf("version %d, this simrun reads %d", *peek.Version, FormatVersion))
	}
	var h Header
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		detail := strings.TrimPrefix(err.Error(), "json: ")
		if key, unknown := strings.CutPrefix(detail, "unknown field "); unknown {
			return Header{}, ErrUnknownKey.at(name, 1, key)
		}
		return Header{}, ErrHeader.at(name, 1, detail)
	}
	if h.Lease < 0 || h.Sections < 0 || h.MinSections < 0 {
		return Header{}, ErrHeader.at(name, 1, "lease, sections and min_sections cannot be negative")
	}
	return h, nil
}

// ReadFile reads a whole history. Where it is not accepted, the events before
// the fault are returned with the error, so that a history that was cut short
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
		if err := r.Next(&e); err == io.EOF {
			return r.Header(), events, nil
		} else if err != nil {
			return r.Header(), events, err
		}
		events = append(events, e)
	}
}
