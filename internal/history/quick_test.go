package history

import (
	"bytes"
	"encoding/json"
	"testing"
)

var quickLines = []string{
	`{"n":1,"t":0,"k":"waiting"}`,
	`{"n":7,"t":1500,"k":"read","c":"A","s":2,"value":97,"version":3}`,
	`{"n":9,"t":1,"k":"fired","c":"A","dur":40,"fault":"1:pause","detail":"process stopped: takes, and sends {nothing}"}`,
	`{"n":2,"t":3,"k":"wrote","c":"A","s":1,"owner":"B","fence":4,"value":5,"version":6,"dur":7,"fault":"f","detail":"d","text":"t"}`,
}

// The quick way reads what a Writer writes, as encoding/json does.
func TestTheQuickWayReadsWhatIsWritten(t *testing.T) {
	for _, line := range quickLines {
		var e Event
		if !quick([]byte(line), &e) {
			t.Errorf("not read: %s", line)
		}
		again, err := json.Marshal(e)
		if err != nil || string(again) != line {
			t.Errorf("read %s (%v) from %s", again, err, line)
		}
	}
}

// Whatever the quick way takes, the slow way takes, too, and as the same event. Each
// line is tried with every byte replaced, doubled and left out.
func TestTheQuickWayTakesNothingMore(t *testing.T) {
	taken := 0
	for _, line := range quickLines {
		for i := range line {
			for _, with := range []string{"", line[i:i+1] + line[i:i+1], "0", "-", " ", `"`, `\`, ",", "}", "x", "\x00", "é", "01", `",`, `":`} {
				changed := line[:i] + with + line[i+1:]
				if sameAsSlow(t, []byte(changed)) {
					taken++
				}
			}
		}
	}
	if taken < 100 {
		t.Errorf("took %d changed lines, want at least 100: the test tries too little", taken)
	}
}

func sameAsSlow(t *testing.T, line []byte) (taken bool) {
	t.Helper()
	var e, slow Event
	if !quick(line, &e) {
		return false
	}
	if problem, detail := decode(line, &slow, eventKeys, 3, ErrSyntax); problem != nil || e != slow {
		t.Errorf("%s: quick %+v, slow %+v (%v %s)", line, e, slow, problem, detail)
	}
	return true
}

func FuzzQuick(f *testing.F) {
	for _, line := range quickLines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !bytes.ContainsRune(line, '\n') {
			sameAsSlow(t, line)
		}
	})
}
