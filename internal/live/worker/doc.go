// Package worker runs the clients of live mode as processes of their own: the
// harness's end of each process, and the worker that simrun itself can be.
//
// The harness drives the sections and is the only judge; the process owns the
// lock and spends the time. They speak JSON Lines over the standard input and
// output, described in docs/worker-protocol.md, so that a worker may be written
// in any language.
//
// Goals: a pause really stops the process and a crash really kills it, each with
// a proof from the system; a worker that dies, prints rubbish or says nothing is
// told apart from a lock that fails; nothing outlives [Process.Close].
// Non-goals: the order of sections and events (the harness), the network's
// faults, and judging.
package worker
