package lock

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// noAnswer wraps an error of the client or of the network. A context's error
// inside it is not the caller's but a timeout of the client's own, so it keeps
// its text only.
func noAnswer(err error) error {
	if isContextError(err) {
		return fmt.Errorf("%w: %v", ErrNoAnswer, err)
	}
	return fmt.Errorf("%w: %w", ErrNoAnswer, err)
}

// callError is the error of one command under the caller's own ctx: that
// context's error where it ended the command.
func callError(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		return err
	}
	return noAnswer(err)
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isHopeless tells the errors that no further try mends from those of a network
// or a server in trouble.
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

// isOverwritten tells that the key holds a value of another type: somebody has
// written over the lock. Redis before 7 puts the word inside a script's error.
func isOverwritten(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply) && strings.Contains(reply.Error(), "WRONGTYPE")
}
