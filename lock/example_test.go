package lock_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

// A service takes a fenced lock, works until it is done or the lease is lost, and
// hands the token to the resource with every write.
func Example() {
	rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	sale, err := lock.NewFenced(rdb, "sale:42",
		lock.WithLease(30*time.Second), lock.WithWait(5*time.Second))
	if err != nil {
		fmt.Println(err) // names the option
		return
	}
	ctx := context.Background()
	lease, err := sale.Acquire(ctx)
	if errors.Is(err, lock.ErrNotAcquired) {
		fmt.Println("too busy, try again")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = lease.Release(ctx) }()

	select {
	case <-lease.Lost():
		fmt.Println("rolled back:", lease.(lock.Causer).Cause())
	case sold := <-sell(lease.Fence()):
		fmt.Println("sold", sold)
	}
}

// An owner that holds the lock enters it again, as a thread does in Redisson;
// another owner of the same process is kept out.
func ExampleWatchdog_Owner() {
	rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	sale, err := lock.NewWatchdog(rdb, "sale:42", lock.WithOwner("host-7/1234"))
	if err != nil {
		fmt.Println(err)
		return
	}
	worker, err := sale.Owner("host-7/1234/worker-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for range 2 {
		lease, err := worker.Acquire(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer func() { _ = lease.Release(ctx) }()
	}
}

func sell(fence int64) <-chan int64 {
	sold := make(chan int64, 1)
	sold <- fence
	return sold
}
