package tap_test

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/tap"
)

// A client's commands on the watched key, seen from the tap.
func Example() {
	ctx := context.Background()
	server, err := redisserver.Open(ctx, redisserver.Miniredis, redisserver.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	admin := redis.NewClient(server.Options())
	defer func() { _ = admin.Close() }()

	look := func(when string) func(client, name string) {
		return func(client, name string) {
			fmt.Printf("%s %s of %s: %q\n", when, name, client, admin.Get(ctx, "lock").Val())
		}
	}
	way, err := tap.New("A", server.Addr, tap.Options{
		Key:     "lock",
		Serial:  tap.NewSerializer(), // shared by the taps of all clients
		Before:  look("before"),
		After:   look("after"),
		Command: func(client, name string) {},
		Strange: func(err error) { fmt.Println(err) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = way.Close() }()

	client := redis.NewClient(&redis.Options{Addr: way.Addr()})
	defer func() { _ = client.Close() }()
	client.SetNX(ctx, "lock", "token", 0)
	client.Del(ctx, "lock")
	// Output:
	// before set of A: ""
	// after set of A: "token"
	// before del of A: "token"
	// after del of A: ""
}
