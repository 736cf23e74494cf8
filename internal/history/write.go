package history

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Writer writes a history: its header, then one event a line. It is not safe
// for use by several goroutines.
type Writer struct {
	w    *bufio.Writer
	line []byte
	err  error
}

// NewWriter makes a writer and writes the header. The header's Version is set
// to [FormatVersion], since that is what this package writes.
func NewWriter(w io.Writer, h Header) *Writer {
	out := &Writer{w: bufio.NewWriterSize(w, 1<<16), line: make([]byte, 0, 256)}
	h.Version = FormatVersion
	out.write(mustMarshal(h))
	return out
}

// Event writes the next event, as it is: numbering is the recorder's task. An
// error is kept, and returned by Flush and Close.
func (w *Writer) Event(e *Event) {
	w.line = appendEvent(w.line[:0], e)
	w.write(w.line)
}

// Flush hands all that was written on, and returns the first error there was.
func (w *Writer) Flush() error {
	if err := w.w.Flush(); w.err == nil {
		w.err = err
	}
	if w.err != nil {
		return fmt.Errorf("write history: %w", w.err)
	}
	return nil
}

// Close is Flush; it leaves the underlying writer open, whose owner may have
// more to write.
func (w *Writer) Close() error { return w.Flush() }

func (w *Writer) write(line []byte) {
	if w.err != nil {
		return
	}
	if _, w.err = w.w.Write(line); w.err == nil {
		w.err = w.w.WriteByte('\n')
	}
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
		panic(fmt.Sprintf("history: a hash cannot fail to take bytes: %v", err))
	}
	return hex.EncodeToString(sum.Sum(nil))
}
