package proc

import (
	"cmp"
	"sync"
)

// Log keeps the first Head and the last Tail bytes written to it. The zero Log
// keeps the last 16 KiB. Its methods may be called from several goroutines.
type Log struct {
	Head, Tail int

	mu         sync.Mutex
	head, tail []byte
	cut        bool // something between head and tail was dropped
}

const defaultTail = 16 << 10

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(b)
	if room := l.Head - len(l.head); room > 0 {
		k := min(room, len(b))
		l.head = append(l.head, b[:k]...)
		b = b[k:]
	}
	l.tail = append(l.tail, b...)
	if over := len(l.tail) - cmp.Or(l.Tail, defaultTail); over > 0 {
		l.cut = true
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
	return n, nil
}

// String returns what was kept, with a mark where a Log with a Head was cut.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut && l.Head > 0 {
		return string(l.head) + "\n… cut\n" + string(l.tail)
	}
	return string(l.head) + string(l.tail)
}
