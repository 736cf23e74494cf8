package worker

import (
	"context"
	"fmt"
	"time"
)

// Start makes the worker's lock. It fails with [ErrRefused] where the worker
// does not want to, and the process goes on.
func (p *Process) Start(ctx context.Context, c Config) error {
	a, err := p.ask(ctx, request{Do: doStart, Setup: c.wire()}, 0)
	if err != nil {
		return err
	}
	if !a.OK {
		return fmt.Errorf("%w: %.200s", ErrRefused, a.Error)
	}
	return nil
}

// Acquire tries to take the lock for so long, in whole milliseconds as all times
// here. A refusal is an answer, not an error.
func (p *Process) Acquire(ctx context.Context, wait time.Duration) (Answer, error) {
	return p.ask(ctx, request{Do: doAcquire, WaitMS: millis(wait)}, wait)
}

// Work spends d in the process, or less where its lease is lost. Without a lease
// it just spends d.
func (p *Process) Work(ctx context.Context, d time.Duration) (Answer, error) {
	return p.ask(ctx, request{Do: doWork, MS: millis(d)}, d)
}

// RollBack spends d in the process though its lease is lost.
func (p *Process) RollBack(ctx context.Context, d time.Duration) (Answer, error) {
	return p.ask(ctx, request{Do: doWork, MS: millis(d), Anyway: true}, d)
}

// Check asks what the lock believes of its lease now.
func (p *Process) Check(ctx context.Context) (Answer, error) {
	return p.ask(ctx, request{Do: doCheck}, 0)
}

// Send returns once the process runs and sends its write.
func (p *Process) Send(ctx context.Context) error {
	_, err := p.ask(ctx, request{Do: doSend}, 0)
	return err
}

// Release gives the lock up. Where that fails, the answer is not OK.
func (p *Process) Release(ctx context.Context) (Answer, error) {
	return p.ask(ctx, request{Do: doRelease}, 0)
}

// Stop tells the process to end. It does not wait for that: Close does.
func (p *Process) Stop(ctx context.Context) error {
	_, err := p.ask(ctx, request{Do: doStop}, 0)
	return err
}
