package errclass

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/lockchaos/simrun/lock"
)

type redisError string

func (e redisError) Error() string { return string(e) }

func TestOf(t *testing.T) {
	unreachable := &net.OpError{Op: "dial", Err: errors.New("refused")}
	tests := []struct {
		err  error
		want string
	}{
		{nil, ""},
		{lock.ErrRenewalCapped, RenewalCapped},
		{lock.ErrLeaseLost, LeaseLost},
		{lock.ErrNotHeld, NotHeld},
		{lock.ErrNotAcquired, NotAcquired},
		{context.DeadlineExceeded, DeadlineExceeded},
		{context.Canceled, Cancelled},
		{unreachable, Network},
		{errors.New("something"), Other},
		{fmt.Errorf("acquire: %w", lock.ErrNotAcquired), NotAcquired},
		{errors.Join(lock.ErrNotAcquired, context.DeadlineExceeded), NotAcquired},
		{fmt.Errorf("%w: %w", lock.ErrNoAnswer, unreachable), Network},
		{redisError("NOSCRIPT No matching script. Please use EVAL."), "NOSCRIPT"},
		{fmt.Errorf("%w: %w", lock.ErrNoAnswer, redisError("MISCONF Redis is configured to save RDB snapshots")), "MISCONF"},
		{errors.Join(lock.ErrNotAcquired, redisError("OOM command not allowed"), context.DeadlineExceeded), "OOM"},
		{fmt.Errorf("set: %v", redisError("READONLY You can't write against a read only replica.")), "READONLY"},
		{redisError("ERR BUSY is not a command"), Other},
		{redisError("BUSY"), Other}, // a lock's own word
		{errors.New("the lock is BUSY now"), Other},
		{fmt.Errorf("%w: %w", lock.ErrLeaseLost, redisError("LOADING Redis is loading the dataset in memory")), LeaseLost},
		{fmt.Errorf("%w: %w", lock.ErrLeaseLost, lock.ErrRenewalCapped), RenewalCapped},
	}
	for _, tt := range tests {
		if got := Of(tt.err); got != tt.want {
			t.Errorf("Of(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestEveryClassIsKnown(t *testing.T) {
	for _, class := range All() {
		if !Known(class) {
			t.Errorf("%q is not known", class)
		}
	}
	if Known("") || Known("lost") {
		t.Error("a word that is no class is known")
	}
	All()[0] = "changed"
	if slices.Contains(All(), "changed") {
		t.Error("a caller can change the classes")
	}
}
