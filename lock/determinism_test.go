package lock_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/lockchaos/simrun/lock"
)

// Nothing in a lock may depend on which goroutine ran first: the same clients in
// the same network send the same bytes at the same nanoseconds.
func TestSameRunSendsTheSameCommands(t *testing.T) {
	for _, s := range all {
		t.Run(s, func(t *testing.T) {
			first := contend(t, s)
			for range 10 {
				if again := contend(t, s); !slices.Equal(first, again) {
					for i := range min(len(first), len(again)) {
						if first[i] != again[i] {
							t.Fatalf("command %d was\n%s\nand is\n%s", i, first[i], again[i])
						}
					}
					t.Fatalf("%d commands, then %d", len(first), len(again))
				}
			}
		})
	}
}

// contend is three clients that take turns, one of which is cut off for a while.
func contend(t *testing.T, strategy string) (sent []string) {
	inWorld(t, func(w *world) {
		w.m.Server().SetPreHook(func(_ *server.Peer, cmd string, args ...string) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			sent = append(sent, fmt.Sprint(int64(w.now()), cmd, strings.Join(args, " ")))
			return false
		})
		done := make(chan struct{})
		for i, owner := range []string{"a", "b", "c"} {
			k, link := w.lock(strategy, owner, lock.WithWait(25*time.Second))
			if i == 1 {
				time.AfterFunc(40*time.Second, func() { link.setCut(true) })
				time.AfterFunc(75*time.Second, func() { link.setCut(false) })
			}
			go func() {
				defer func() { done <- struct{}{} }()
				time.Sleep(time.Duration(i+1) * time.Microsecond)
				for range 4 {
					l, err := k.Acquire(context.Background())
					if err != nil {
						continue
					}
					time.Sleep(17*time.Second + time.Duration(i*1013))
					_ = l.Release(context.Background())
				}
			}()
		}
		for range 3 {
			<-done
		}
	})
	return sent
}
