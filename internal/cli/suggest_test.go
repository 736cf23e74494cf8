package cli

import "testing"

func TestSuggest(t *testing.T) {
	valid := []string{"list", "explain", "check", "help"}
	for _, tt := range []struct{ got, want string }{
		{"lst", `did you mean "list"?`},
		{"explian", `did you mean "explain"?`},
		{"ex", `did you mean "explain"?`},
		{"chek", `did you mean "check"?`},
		{"x", "use one of list, explain, check, help"},
		{"", "use one of list, explain, check, help"},
		{"something else", "use one of list, explain, check, help"},
	} {
		if s := suggest(tt.got, valid); s != tt.want {
			t.Errorf("suggest(%q) = %q, want %q", tt.got, s, tt.want)
		}
	}
}
