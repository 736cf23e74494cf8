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
