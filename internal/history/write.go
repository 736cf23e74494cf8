package history

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
)

// Writer writes a history: its header, then one event a line. It is not safe
// for use by several goroutines.
type Writer struct {
	w   *bufio.Writer
	enc *json.Encoder
	err error
}

// NewWriter makes a writer and writes the header. The header's Version is set
// to [FormatVersion], since that is what this package writes.
func NewWriter(w io.Writer, h Header) *Writer {
	out := &Writer{w: bufio.NewWriterSize(w, 1<<16)}
	out.enc = json.NewEncoder(out.w)
	h.Version = FormatVersion
	out.write(h)
	return out
}

// Event writes the next event as it is; the recorder has numbered it. The first
// error is kept, and returned by Close.
func (w *Writer) Event(e *Event) { w.write(e) }

func (w *Writer) write(v any) {
	if w.err == nil {
		w.err = w.enc.Encode(v)
	}
}

// Close flushes what was written and returns the first error there was. It
// leaves the underlying writer open, whose owner may have more to write.
func (w *Writer) Close() error {
	if err := w.w.Flush(); w.err == nil {
		w.err = err
	}
	if w.err != nil {
		return fmt.Errorf("write history: %w", w.err)
	}
	return nil
}

// Hash is the SHA-256, in hexadecimal, of the very bytes that a [Writer]
// writes for this history: two runs are the same run if their hashes are.
func Hash(h Header, events []Event) string {
	sum := sha256.New()
	w := NewWriter(sum, h)
	for i := range events {
		w.Event(&events[i])
	}
	if err := w.Close(); err != nil {
		panic(fmt.Sprintf("history: hash: %v", err)) // neither the types nor a hash can fail
	}
	return hex.EncodeToString(sum.Sum(nil))
}
