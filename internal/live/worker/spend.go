package worker

import (
	"context"
	"time"
)

const (
	// slice is how long the process works before it looks around.
	slice = 5 * time.Millisecond
	// mostCounted is what one slice counts for at most. It takes longer where the
	// process was stopped in it, and time stopped is no work.
	mostCounted = 2 * slice
)

// spend works for d and reports whether it came to the end without the lease
// being lost; it returns early where it is, or where ctx is done.
func spend(ctx context.Context, d time.Duration, lost <-chan struct{}) bool {
	for d > 0 && !closed(lost) && ctx.Err() == nil {
		begun := time.Now()
		timer := time.NewTimer(min(d, slice))
		select {
		case <-timer.C:
		case <-lost:
		case <-ctx.Done():
		}
		timer.Stop()
		d -= counted(time.Since(begun))
	}
	return !closed(lost)
}

func counted(took time.Duration) time.Duration { return min(took, mostCounted) }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
