package tap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ErrMalformed: a stream is not Redis's protocol.
var ErrMalformed = errors.New("not Redis's protocol")

const (
	// readSize is how many bytes are read at once, and how long a line may be:
	// Redis's own bound on its input.
	readSize = 64 << 10
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
	br  *bufio.Reader
	raw bytes.Buffer
}

func newReader(r io.Reader) *reader { return &reader{br: bufio.NewReaderSize(r, readSize)} }

// more reports whether bytes have been read and not yet cut.
func (r *reader) more() bool { return r.br.Buffered() > 0 }

func (r *reader) clear() {
	if r.raw.Cap() > keepSize {
		r.raw = bytes.Buffer{}
	}
	r.raw.Reset()
}

// command reads one command, an array of strings. Redis does not answer an empty
// one.
func (r *reader) command() (args []string, err error) {
	r.clear()
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
		from := r.raw.Len()
		if err := r.bulk(size); err != nil {
			return nil, err
		}
		args = append(args, string(r.raw.Bytes()[from:from+size]))
	}
	return args, nil
}

// reply reads one whole reply, or one push message.
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
	if len(line) == 0 || strings.IndexByte(kinds, line[0]) < 0 {
		return 0, 0, fmt.Errorf("%w: a line begins %.20q, want one of %s", ErrMalformed, line, kinds)
	}
	kind = line[0]
	bound := maxCount
	switch kind {
	case '+', '-', ':', '_', '#', ',', '(':
		return kind, 0, nil
	case '$', '=', '!':
		bound = maxBulk
	}
	n, err = strconv.Atoi(string(line[1:]))
	if err != nil || n < -1 || n > bound {
		return 0, 0, fmt.Errorf("%w: length %.20q", ErrMalformed, line)
	}
	return kind, n, nil
}

// line reads a line and returns it without its end. The next read overwrites it.
func (r *reader) line() ([]byte, error) {
	line, err := r.br.ReadSlice('\n')
	r.raw.Write(line)
	whole, ok := bytes.CutSuffix(line, []byte("\r\n"))
	switch {
	case err == nil && ok:
		return whole, nil
	case err == nil || errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%w: a line without its end: %.20q", ErrMalformed, line)
	}
	return nil, r.cut(err)
}

// bulk reads n bytes and the line end after them. It allocates memory only for
// bytes that arrive, not for those announced.
func (r *reader) bulk(n int) error {
	if _, err := io.CopyN(&r.raw, r.br, int64(n)+2); err != nil {
		return r.cut(err)
	}
	if !bytes.HasSuffix(r.raw.Bytes(), []byte("\r\n")) {
		return fmt.Errorf("%w: a string of %d bytes does not end there", ErrMalformed, n)
	}
	return nil
}

// cut distinguishes a stream that ends inside a value from one that ends after it.
func (r *reader) cut(err error) error {
	if errors.Is(err, io.EOF) && r.raw.Len() > 0 {
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
