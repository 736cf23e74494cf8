package worker

import "sync"

// tail keeps the last part of what is written to it. It may be used by several
// goroutines at once.
type tail struct {
	mu  sync.Mutex
	end []byte
}

// tailSize bounds a tail in bytes.
const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b[max(0, len(b)-tailSize):]...)
	if over := len(t.end) - tailSize; over > 0 {
		t.end = append(t.end[:0], t.end[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.end)
}
