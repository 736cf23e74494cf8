package scenarios

import (
	"testing"
)

// Each built-in scenario reads, bears the name of its file, and says what it
// expects of every lock of the ladder.
func TestBuiltin(t *testing.T) {
	ladder := []string{"naive", "token", "watchdog", "capped", "guarded", "fenced"}
	for i, s := range Builtin() {
		t.Run(Names()[i], func(t *testing.T) {
			if s.Name != Names()[i] {
				t.Errorf("name %q, want %q", s.Name, Names()[i])
			}
			if s.Source == "" || s.Story == "" {
				t.Error("a built-in scenario needs a source and a story")
			}
			for _, name := range ladder {
				if len(s.Expect[name]) == 0 {
					t.Errorf("nothing is expected of %s", name)
				}
			}
			if len(s.Expect) != len(ladder) {
				t.Errorf("expectations of %d strategies, want %d", len(s.Expect), len(ladder))
			}
			if err := s.CheckStrategies(ladder); err != nil {
				t.Error(err)
			}
		})
	}
}
