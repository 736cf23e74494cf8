package tap

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// BenchmarkSet is a round trip without a tap, with one, and with one that
// watches the key. The difference is what a tap costs a command.
func BenchmarkSet(b *testing.B) {
	m := miniredis.NewMiniRedis()
	if err := m.Start(); err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	for _, path := range []struct{ name, key string }{{"bare", ""}, {"tap", "other"}, {"watched", "lock"}} {
		b.Run(path.name, func(b *testing.B) {
			addr := m.Addr()
			if path.key != "" {
				tap, err := New("A", m.Addr, silent(path.key))
				if err != nil {
					b.Fatal(err)
				}
				defer func() { _ = tap.Close() }()
				addr = tap.Addr()
			}
			rdb := dial(b, addr)
			for b.Loop() {
				if err := rdb.Set(b.Context(), "lock", "x", 0).Err(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
