// Package chaos is the vocabulary of faults, one small file each, and the World
// interface that they act on.
//
// Goals: a fault reports when it took effect, with a proof; it does not depend on
// how a world does it, so the same fault works in virtual time and on real
// processes.
// Non-goals: deciding when a fault fires (the engine reads a [Plan]), and
// reading YAML (package scenarios).
package chaos

import (
	"time"
)

// World is what faults act on. Its methods return a proof of what was done, for
// the history. A world that cannot do it returns [ErrUnsupported].
type World interface {
	// Pause stops the whole process of a client: its network and its section.
	Pause(client string) (resume func(), proof string, err error)
	// Hang stops a client's critical section only: its renewals go on, and the
	// section does not learn that its lease is lost.
	Hang(client string) (resume func(), proof string, err error)
	// Crash kills a client for good.
	Crash(client string) (proof string, err error)
	// AddToxic puts a Toxiproxy toxic on the client's connections to Redis.
	AddToxic(client string, t Toxic) (remove func(), proof string, err error)
	// Reset cuts the client's connections to Redis with a TCP reset.
	Reset(client string) (proof string, err error)
	// LoseReply drops the next reply from Redis to the client and resets its
	// connection. fired is called once a reply was lost.
	LoseReply(client string, fired func(proof string)) error
	// DelayWrite keeps the client's next write to the resource in the network
	// for d. fired is called once a write was delayed.
	DelayWrite(client string, d time.Duration, fired func(proof string)) error
	// JumpClock steps Redis's clock by d, which may be negative.
	JumpClock(d time.Duration) (proof string, err error)
	// SetClockRate makes Redis's clock run at rate times real speed.
	SetClockRate(rate float64) (restore func(), proof string, err error)
	// Restart takes Redis down, with its data kept or lost: connections,
	// subscriptions and loaded scripts end, and new connections are refused until
	// start is called.
	Restart(keepData bool) (start func(), proof string, err error)
	// Replicate gives Redis a replica that is lag behind it. Call it before
	// anything runs. A run has one replica, and so one lag.
	Replicate(lag time.Duration) error
	// Promote kills Redis, which ends all connections, and promotes the replica
	// at the same address. Redis then has a new replica.
	Promote() (proof string, err error)
}

// Toxic is a Toxiproxy toxic by its own name and attributes.
type Toxic struct {
	Type       string           // latency, timeout, bandwidth, slow_close, slicer, limit_data, reset_peer
	Stream     string           // "upstream" (towards Redis) or "downstream"
	Toxicity   float64          // probability that a connection is hit
	Attributes map[string]int64 // Toxiproxy's own names and units
}

// Fault is one thing that goes wrong, with its parameters set.
type Fault interface {
	// Inject makes the fault happen to client, which is empty for a fault of
	// the server. It calls fired with the proof when the fault takes effect:
	// before Inject returns, or later if the fault waits for its victim. end,
	// which ends the fault, is nil if the fault is over at once.
	Inject(w World, client string, fired func(proof string)) (end func(), err error)
}

// once calls fired with the proof of a fault that is over at once, unless the
// world failed to do it: return once(fired)(w.Crash(client)).
func once(fired func(string)) func(proof string, err error) (func(), error) {
	return func(proof string, err error) (func(), error) { return lasting(fired)(nil, proof, err) }
}

// lasting is once for a fault that end ends.
func lasting(fired func(string)) func(end func(), proof string, err error) (func(), error) {
	return func(end func(), proof string, err error) (func(), error) {
		if err != nil {
			return nil, err
		}
		fired(proof)
		return end, nil
	}
}

// Preparer is a fault that needs something from the world before anything runs.
type Preparer interface {
	// Prepare is called once for each such fault of a scenario, before any client
	// begins. If it fails, the fault cannot fire.
	Prepare(w World) error
}

// Range is a duration drawn evenly from Min to Max.
type Range struct{ Min, Max time.Duration }
