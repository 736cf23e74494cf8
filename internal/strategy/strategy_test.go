package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
)

func TestRegisterRefusesNamesThatNoCommandLineCanName(t *testing.T) {
	for _, tt := range []struct{ name, says string }{
		{"", "needs a name"},
		{"naive", "registered twice"},
		{"mine,yours", "no comma"},
		{"mine\nyours", "no control characters"},
		{"mine\x7f", "no control characters"},
	} {
		t.Run(fmt.Sprintf("%q", tt.name), func(t *testing.T) {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, tt.says) {
					t.Errorf("it says %q, want %q", said, tt.says)
				}
			}()
			strategy.Register(strategy.Strategy{Name: tt.name, New: func(strategy.Env) (lock.Locker, error) { return nil, lock.ErrNotAcquired }})
		})
	}
}
