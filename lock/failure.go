package lock

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// noAnswer wraps an error of the client or of the network. A context error in it
// is a timeout of the client's own, not the caller's, so only its text is kept.
func noAnswer(err error) error {
	if isContextError(err) {
		return fmt.Errorf("%w: %s", ErrNoAnswer, err.Error())
	}
	return fmt.Errorf("%w: %w", ErrNoAnswer, err)
}

// callError wraps the error of a command sent under the caller's ctx. It is ctx's
// own error if ctx ended the command.
func callError(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		return err
	}
	return noAnswer(err)
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isHopeless reports whether retrying cannot help, as it does when the network or
// the server is in trouble.
func isHopeless(err error) bool {
	if errors.Is(err, redis.ErrClosed) {
		return true
	}
	var reply redis.Error
	if !errors.As(err, &reply) {
		return false
	}
	text := reply.Error()
	if strings.HasPrefix(text, "ERR max number of clients") {
		return false
	}
	for _, prefix := range []string{"ERR", "WRONGTYPE", "NOAUTH", "WRONGPASS", "NOPERM"} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

// isOverwritten reports whether the key holds a value of another type: something
// has overwritten the lock. Redis before 7 puts the word inside a script's error.
func isOverwritten(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply) && strings.Contains(reply.Error(), "WRONGTYPE")
}
