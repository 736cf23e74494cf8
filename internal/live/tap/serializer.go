package tap

// Serializer lets one in at a time. It is a mutex whose waiter can give up.
type Serializer struct{ free chan struct{} }

// NewSerializer returns one that is free.
func NewSerializer() *Serializer {
	t := &Serializer{free: make(chan struct{}, 1)}
	t.free <- struct{}{}
	return t
}

// Lock waits until nobody is inside: no command that names the watched key is
// then under way. It must not be called from a callback of a [Tap].
func (t *Serializer) Lock() { <-t.free }

// Unlock lets the next in.
func (t *Serializer) Unlock() { t.free <- struct{}{} }

// enter is Lock, unless stop closes first: then it reports false.
func (t *Serializer) enter(stop <-chan struct{}) bool {
	select {
	case <-t.free:
		return true
	default:
	}
	select {
	case <-t.free:
		return true
	case <-stop:
		return false
	}
}
