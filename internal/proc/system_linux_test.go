package proc

import "testing"

func TestParseStat(t *testing.T) {
	tests := []struct {
		text string
		want stat
		ok   bool
	}{
		{"123 (java) T 1 123 123 0 -1", stat{"T", 123, ""}, true},
		{"123 (a) S 9 (b) R 1 45 45 0", stat{"R", 45, ""}, true},
		{"123 (java) T 1 123 123 0 -1 0 0 0 0 0 7 7 0 0 20 0 1 0 98765 4096", stat{"T", 123, "98765"}, true},
		{"123 (java) T 1", stat{}, false},
		{"123 (java) TT 1 123", stat{}, false},
		{"123 (java) T 1 x", stat{}, false},
		{"", stat{}, false},
	}
	for _, tt := range tests {
		got, err := parseStat(tt.text)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("%q: %+v, %v", tt.text, got, err)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("123 (java) T 1 123 123 0 -1")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseStat(text); err == nil && len(s.state) != 1 {
			t.Errorf("%q: state %q", text, s.state)
		}
	})
}
