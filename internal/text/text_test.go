package text

import "testing"

func TestSuggest(t *testing.T) {
	words := []string{"list", "explain", "check", "help", "overlap", "stuck", "starved", "lost-update", "naive"}
	for got, want := range map[string]string{
		"lst":         `did you mean "list"?`,
		"explian":     `did you mean "explain"?`,
		"ex":          `did you mean "explain"?`,
		"overlap":     `did you mean "overlap"?`,
		"Overlap":     `did you mean "overlap"?`,
		"ovrelap":     `did you mean "overlap"?`,
		"stucked":     `did you mean "stuck"?`,
		"niave":       `did you mean "naive"?`,
		"lost_update": `did you mean "lost-update"?`,
	} {
		if s := Suggest(got, words); s != want {
			t.Errorf("Suggest(%q) = %q, want %q", got, s, want)
		}
	}
	for _, got := range []string{"", "x", "xyz", "über", "something quite different"} {
		if s, want := Suggest(got, []string{"list", "naive"}), "use one of list, naive"; s != want {
			t.Errorf("Suggest(%q) = %q, want %q", got, s, want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 run": Count(1, "run"), "0 runs": Count(0, "run"), "2 strategies": Count(2, "strategy"), "12\u00a0345 runs": Count(12345, "run"),
		"1234": Number(1234), "−1\u00a0234\u00a0567": Number(-1234567),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
