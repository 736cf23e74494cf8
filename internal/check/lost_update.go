package check

import (
	"fmt"

	"github.com/lockchaos/simrun/internal/history"
)

var lostUpdateProperty = Property{
	Name: "lost-update", Unit: Count, Severity: Corruption, DefeatsFence: true, LeaseLimit: true, Letter: "U",
	Broken:    "an accepted write overwrote another write that it had not seen",
	DependsOn: "whether two holders read the same version before either writes",
	watch:     func(b breaches) checker { return &lostUpdate{breaches: b} },
}

// lostUpdate: an accepted write was computed from another version than the
// resource's own, so it undid the writes between. The resource starts at
// version 0 and each accepted write raises it by one. Where every write is
// sound and still the stock at the end is not what was sold, that is a
// violation of its own.
type lostUpdate struct {
	breaches
	version int64
	readers []*visit // that have read, with no accepted write since
	writer  *client  // of the newest accepted write
	write   ref
	stock   int64 // at the end
}

func (l *lostUpdate) event(e *history.Event) {
	if v := l.st.first; v != nil {
		for len(l.readers) > 0 && l.readers[0].over() {
			l.readers = l.readers[1:]
		}
		l.readers = append(l.readers, v)
	}
	switch e.Kind {
	case history.End:
		l.stock = e.Value
	case history.Wrote:
		if e.Version != l.version {
			l.breach(e)
		}
		l.version++
		l.wrote()
	}
}

// wrote lets those who have read know which write came first after.
func (l *lostUpdate) wrote() {
	l.writer, l.write = l.st.who, l.st.now
	for _, v := range l.readers {
		v.undoes, v.undone = l.st.who, l.st.now
	}
	l.readers = l.readers[:0]
}

func (l *lostUpdate) breach(e *history.Event) {
	var read ref
	writer, undone := l.writer, l.write
	if v := l.st.answer; v != nil {
		read, writer, undone = v.read, v.undoes, v.undone
	}
	text := fmt.Sprintf("%s wrote what it had computed from version %d over version %d", e.Client, e.Version, l.version)
	if writer != nil {
		text += ", and so undid what " + writer.name + " had written"
	}
	l.add(1, named(l.st.who, writer), proof(read, undone, l.st.now), "%s", text)
}

func (l *lostUpdate) end() []Violation {
	sold := l.st.h.Stock - l.stock
	if l.st.ended && len(l.found) == 0 && sold != l.version {
		l.add(1, named(l.writer), proof(l.write, l.st.now), "gone from the stock: %d, accepted writes: %d", sold, l.version)
	}
	return l.found
}
