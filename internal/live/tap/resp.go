package tap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrMalformed: a stream is not Redis's protocol.
var ErrMalformed = errors.New("not Redis's protocol")

const (
	// readSize is how many bytes are read at once.
	readSize = 32 << 10
	// maxLine is the longest line: Redis's own bound on its input.
	maxLine = 64 << 10
	// maxBulk is the longest string: Redis's own default bound.
	maxBulk = 512 << 20
	// maxCount is how many elements an aggregate may have.
	maxCount = 1 << 31
	// keepSize is how large a buffer is reused for the next value.
	keepSize = 1 << 20
)

// reader cuts a stream into commands or replies. Every byte that it takes from the
// stream is in raw, even if it fails.
type reader struct {
	br   *bufio.Reader
	raw  []byte
	ends []span
	args [][]byte
}

// span is where an argument lies in raw, which may move while it grows.
type span struct{ from, to int }

func newReader(r io.Reader) *reader { return &reader{br: bufio.NewReaderSize(r, readSize)} }

// more reports whether bytes have been read and not yet cut.
func (r *reader) more() bool { return r.br.Buffered() > 0 }

func (r *reader) clear() {
	if cap(r.raw) > keepSize {
		r.raw = nil
	}
	r.raw = r.raw[:0]
}

// command reads one command, an array of strings, into raw. The next call
// overwrites what it returns. Redis does not answer an empty command.
func (r *reader) command() ([][]byte, error) {
	r.clear()
	r.ends, r.args = r.ends[:0], r.args[:0]
	_, n, err := r.header("*")
	if err != nil {
		return nil, err
	}
	for range n {
		_, size, err := r.header("$")
		if err != nil {
			return nil, err
		}
		if size < 0 {
			return nil, fmt.Errorf("%w: an argument of length %d", ErrMalformed, size)
		}
		from := len(r.raw)
		if err := r.bulk(size); err != nil {
			return nil, err
		}
		r.ends = append(r.ends, span{from, from + size})
	}
	for _, s := range r.ends {
		r.args = append(r.args, r.raw[s.from:s.to])
	}
	return r.args, nil
}

// reply reads one whole reply, or one push message, into raw.
func (r *reader) reply() error {
	r.clear()
	for left := 1; left > 0; left-- {
		kind, n, err := r.header("+-:_#,($=!*~>%|")
		if err != nil {
			return err
		}
		switch kind {
		case '$', '=', '!':
			if n >= 0 {
				err = r.bulk(n)
			}
		case '*', '~', '>':
			left += max(n, 0)
		case '%':
			left += 2 * max(n, 0)
		case '|': // attributes, followed by what they belong to
			left += 2*max(n, 0) + 1
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// header reads a line and returns its type, which must be one of kinds, and its
// length if the type has one: -1 is a null.
func (r *reader) header(kinds string) (kind byte, n int, err error) {
	line, err := r.line()
	if err != nil {
		return 0, 0, err
	}
	if len(line) == 0 || bytes.IndexByte([]byte(kinds), line[0]) < 0 {
		return 0, 0, fmt.Errorf("%w: a line begins %.20q, want one of %s", ErrMalformed, line, kinds)
	}
	kind = line[0]
	switch kind {
	case '+', '-', ':', '_', '#', ',', '(':
		return kind, 0, nil
	}
	bound := maxBulk
	if bytes.IndexByte([]byte("*~>%|"), kind) >= 0 {
		bound = maxCount
	}
	n, ok := length(line[1:])
	if !ok || n > bound {
		return 0, 0, fmt.Errorf("%w: length %.20q", ErrMalformed, line)
	}
	return kind, n, nil
}

// length reads a length: -1, or digits.
func length(b []byte) (n int, ok bool) {
	if string(b) == "-1" {
		return -1, true
	}
	if len(b) == 0 || len(b) > 10 {
		return 0, false
	}
	for _, d := range b {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int(d-'0')
	}
	return n, true
}

// line reads a line and returns it without its end.
func (r *reader) line() ([]byte, error) {
	from := len(r.raw)
	for {
		part, err := r.br.ReadSlice('\n')
		r.raw = append(r.raw, part...)
		line := r.raw[from:]
		switch {
		case err == nil && bytes.HasSuffix(line, []byte("\r\n")):
			return line[:len(line)-2], nil
		case err == nil || len(line) > maxLine:
			return nil, fmt.Errorf("%w: a line without its end: %.20q", ErrMalformed, line)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, cut(err, len(r.raw))
		}
	}
}

// bulk reads n bytes and the line end after them. It allocates memory only for
// bytes that arrive, not for those announced.
func (r *reader) bulk(n int) error {
	for left := n + 2; left > 0; {
		part := min(left, readSize)
		r.raw = slices.Grow(r.raw, part)
		have := len(r.raw)
		got, err := io.ReadFull(r.br, r.raw[have:have+part])
		r.raw = r.raw[:have+got]
		if err != nil {
			return cut(err, len(r.raw))
		}
		left -= part
	}
	if !bytes.HasSuffix(r.raw, []byte("\r\n")) {
		return fmt.Errorf("%w: a string of %d bytes does not end there", ErrMalformed, n)
	}
	return nil
}

// cut distinguishes a stream that ends inside a value from one that ends after it.
func cut(err error, have int) error {
	if errors.Is(err, io.EOF) && have > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// confirms reports whether a reply confirms that a subscription began or ended, and
// whether the connection's last one ended.
func confirms(raw []byte) (yes, last bool) {
	rest, ok := bytes.CutPrefix(raw, []byte("*3\r\n$"))
	if !ok {
		rest, ok = bytes.CutPrefix(raw, []byte(">3\r\n$"))
	}
	if !ok {
		return false, false
	}
	_, rest, _ = bytes.Cut(rest, []byte("\r\n"))
	word, rest, _ := bytes.Cut(rest, []byte("\r\n"))
	tail := bytes.LastIndex(rest, []byte("\r\n:"))
	if tail < 0 {
		return false, false
	}
	switch string(word) {
	case "subscribe", "psubscribe", "ssubscribe":
		return true, false
	case "unsubscribe", "punsubscribe", "sunsubscribe":
		return true, string(rest[tail:]) == "\r\n:0\r\n"
	}
	return false, false
}
