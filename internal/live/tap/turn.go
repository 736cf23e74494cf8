package tap

import (
	"fmt"
	"time"
)

// moment is how long a command that may wait keeps the others out.
const moment = 20 * time.Millisecond

// turn sends a command that can touch the key while no other such command is
// under way, and waits for its reply.
func (c *conn) turn(p *pending, args [][]byte) bool {
	if c.toServer.Flush() != nil {
		return false
	}
	c.awaitLate()
	if !c.t.o.Serial.enter(c.ended) {
		return false
	}
	p.watched = &Command{Name: p.name}
	for _, a := range args {
		p.watched.Args = append(p.watched.Args, string(a))
	}
	p.done = make(chan struct{})
	c.t.before(*p.watched)
	c.t.command(p.name)
	if !c.pairs.sent(p) {
		c.settle(p, false)
		return false
	}
	c.send(c.fromClient.raw)
	// If this fails, the other direction ends too, and settles the command.
	_ = c.toServer.Flush()

	c.await(p)
	return true
}

// await waits for a command's turn to end, and ends it if that takes too long.
func (c *conn) await(p *pending) {
	wait := c.t.o.Wait
	if blocking[p.name] {
		wait = min(wait, moment)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.done:
		return
	case <-timer.C:
	}
	if !p.claim() {
		<-p.done
		return
	}
	if !blocking[p.name] {
		c.t.strange(fmt.Errorf("%s: %s: %w (%v)", c.name, p.name, ErrNoReply, wait))
	}
	c.t.after(*p.watched)
	c.t.o.Serial.Unlock()
	c.late = p
}

// awaitLate waits, while others may go on, for the reply of a command whose turn
// ended without one: the server would not answer another before it.
func (c *conn) awaitLate() {
	if c.late == nil {
		return
	}
	timer := time.NewTimer(c.t.o.Wait)
	defer timer.Stop()
	select {
	case <-c.late.done:
	case <-timer.C:
	}
	c.late = nil
}

// settle ends a command's turn: its reply is there, or will never come.
func (c *conn) settle(p *pending, answered bool) {
	if p.watched == nil {
		return
	}
	defer close(p.done)
	cmd := *p.watched
	cmd.Answered = answered
	switch {
	case p.claim():
	case answered && c.t.o.Serial.enter(c.t.ctx.Done()):
		cmd.Late = true
	default:
		return
	}
	c.t.after(cmd)
	c.t.o.Serial.Unlock()
}
