// Package redisconformance holds miniredis against a real redis-server, and is tests only.
//
// The virtual world judges locks on miniredis. That convicts nobody unless
// miniredis answers what a lock sends as Redis does. So the tests hold, in
// testdata, transcripts of commands and of redis-server's replies, with time
// that passes and a clock that jumps both ways; they ask both servers the same;
// they replay on both whatever the strategies of package lock really send; and
// they run the strategies on both.
//
// Goals: a difference that a lock could meet is found, pinned by a test and
// listed in docs/miniredis.md, so that one that appears, and one that is mended
// upstream, are both noticed. A command that a lock starts to send fails the
// tests until a transcript has it.
//
// Non-goals: commands that no lock of ours sends, and speed.
package redisconformance
