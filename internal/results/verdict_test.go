package results

import "testing"

// A whole is as bad as its worst part, and a verdict that nobody gave is unknown.
func TestWorse(t *testing.T) {
	order := []Verdict{Pass, Unknown, Fail}
	for i, v := range order {
		for j, w := range order {
			if got, want := v.Worse(w), order[max(i, j)]; got != want {
				t.Errorf("%s and %s make %s, want %s", v, w, got, want)
			}
		}
	}
	var none Verdict
	if none != Unknown {
		t.Errorf("the zero value is %s", none)
	}
}
