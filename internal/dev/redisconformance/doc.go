// Package redisconformance compares miniredis with a real redis-server. It contains
// tests only.
//
// The virtual world judges locks on miniredis, which proves nothing unless miniredis
// answers a lock's commands as Redis does. Testdata contains transcripts of commands
// and of redis-server's replies, including time that passes and a clock that jumps
// both ways. The tests send both servers the same commands, replay on both whatever
// the strategies of package lock really send, and run the strategies on both.
//
// Goals: every difference that a lock could notice is found, pinned by a test and
// listed in docs/miniredis.md, so that new differences, and ones fixed upstream, are
// noticed. If a lock starts to send another command, the tests fail until a
// transcript contains it.
// Non-goals: commands that no strategy sends, and speed.
package redisconformance
