package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/errclass"
	"github.com/lockchaos/simrun/lock"
)

// Run serves the process that started this one, and never returns. Call it if
// [Is], after all strategies are registered and before flags are parsed. A lock
// that prints to the standard output prints to the standard error instead, since
// the standard output belongs to the protocol.
func Run() {
	out := os.Stdout
	os.Stdout = os.Stderr
	os.Exit(Main(os.Stdin, out, os.Stderr))
}

// Main serves requests with the lock of a registered strategy until a stop
// request or the end of in, at once even if the lock is busy. It returns the exit
// code: 0, or 2 if a request could not be understood.
func Main(in io.Reader, out, log io.Writer) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &server{ctx: ctx, out: json.NewEncoder(out), log: log}
	requests := make(chan request)
	done := make(chan error, 2)
	go func() { done <- s.read(in, requests) }()
	go func() { done <- s.serve(requests) }()
	if err := <-done; err != nil {
		fmt.Fprintf(log, "worker: %v\n", err)
		return 2
	}
	return 0
}

// server is the worker's side of the protocol.
type server struct {
	ctx context.Context // ends with Main
	out *json.Encoder
	log io.Writer

	rdb   *redis.Client
	lock  lock.Locker
	lease lock.Lease // nil between sections
	scale float64
}

// read reads ahead, to notice the end of in during a request.
func (s *server) read(in io.Reader, requests chan<- request) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		r, err := parseRequest(lines.Bytes())
		if err != nil {
			return fmt.Errorf("request %.120q: %w", lines.Bytes(), err)
		}
		select {
		case requests <- r:
		case <-s.ctx.Done():
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading a request: %w", err)
	}
	return nil
}

// serve answers requests one by one.
func (s *server) serve(requests <-chan request) error {
	defer func() {
		if s.rdb != nil {
			_ = s.rdb.Close()
		}
	}()
	for {
		var r request
		select {
		case r = <-requests:
		case <-s.ctx.Done():
			return nil
		}
		a := s.answer(r)
		a.ID = r.ID
		if err := s.out.Encode(a); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
		if r.Do == doStop {
			return nil
		}
	}
}

func (s *server) answer(r request) Answer {
	if s.lock == nil && r.Do != doStart && r.Do != doStop {
		return Answer{Error: "not started"}
	}
	switch r.Do {
	case doStart:
		if err := s.makeLock(r.Config); err != nil {
			return Answer{Error: err.Error()}
		}
		return Answer{OK: true}
	case doAcquire:
		return s.acquire(duration(r.WaitMS))
	case doWork:
		lost := s.lost()
		if r.Anyway {
			lost = nil
		}
		if spend(s.ctx, duration(r.MS), lost) {
			return Answer{OK: true}
		}
		return Answer{Lost: s.cause()}
	case doCheck:
		return s.check()
	case doRelease:
		return s.release()
	case doSend, doStop:
		return Answer{OK: true}
	default:
		return Answer{Error: "unknown request"}
	}
}

func (s *server) makeLock(c *Config) (err error) {
	if s.lock != nil {
		return errors.New("started already")
	}
	if s.lock, s.rdb, err = newLock(c); err != nil {
		return err
	}
	s.scale = c.Scale
	return nil
}

func (s *server) acquire(wait time.Duration) Answer {
	if s.lease != nil {
		fmt.Fprintln(s.log, "worker: acquire: a lease is already held")
		return Answer{Error: errclass.Other}
	}
	ctx, cancel := context.WithTimeout(s.ctx, wait)
	defer cancel()
	lease, err := s.lock.Acquire(ctx)
	if err != nil {
		if !errors.Is(err, lock.ErrNotAcquired) {
			fmt.Fprintf(s.log, "worker: acquire: %v\n", err)
		}
		return Answer{Error: errclass.Of(err)}
	}
	s.lease = lease
	return Answer{OK: true, Fence: lease.Fence()}
}

func (s *server) check() Answer {
	if s.lease == nil {
		return Answer{Lost: errclass.NotHeld}
	}
	if engine.Closed(s.lost()) {
		return Answer{Lost: s.cause()}
	}
	return Answer{OK: true}
}

func (s *server) release() Answer {
	if s.lease == nil {
		return Answer{Error: errclass.NotHeld}
	}
	ctx, cancel := context.WithTimeout(s.ctx, scaled(releaseTimeout, s.scale))
	defer cancel()
	err := s.lease.Release(ctx)
	s.lease = nil
	if err != nil {
		fmt.Fprintf(s.log, "worker: release: %v\n", err)
		return Answer{Error: errclass.Of(err)}
	}
	return Answer{OK: true}
}

// lost is nil between sections, and if the lock never reports a loss.
func (s *server) lost() <-chan struct{} {
	if s.lease == nil {
		return nil
	}
	return s.lease.Lost()
}

// cause is the reason for which the lease was lost.
func (s *server) cause() string {
	if c, ok := s.lease.(lock.Causer); ok && c.Cause() != nil {
		return errclass.Of(c.Cause())
	}
	return errclass.LeaseLost
}

const (
	// slice is how long the process works between looks at the lease.
	slice = 5 * time.Millisecond
	// mostCounted is the most that one slice counts for. It lasts longer if the
	// process was stopped during it, and that time is not work.
	mostCounted = 2 * slice
)

// spend works for d and reports whether the lease lasted that long. It returns
// early if the lease is lost or ctx is done.
func spend(ctx context.Context, d time.Duration, lost <-chan struct{}) bool {
	for d > 0 && !engine.Closed(lost) && ctx.Err() == nil {
		begun := time.Now()
		select {
		case <-time.After(min(d, slice)):
		case <-lost:
		case <-ctx.Done():
		}
		d -= counted(time.Since(begun))
	}
	return !engine.Closed(lost)
}

// counted is how much of a slice that lasted d is work.
func counted(d time.Duration) time.Duration { return min(d, mostCounted) }
