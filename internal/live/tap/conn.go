package tap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// conn is one connection of the client and the matching one to the server. One
// goroutine moves commands up, another replies down.
type conn struct {
	path *path
	name string

	client, server net.Conn
	fromClient     *reader
	fromServer     *reader
	toClient       *bufio.Writer
	toServer       *bufio.Writer

	pairs      pairing
	ended      chan struct{} // closed once no more replies will arrive
	clientGone atomic.Bool   // the client receives no more

	// Of the goroutine that moves commands.
	tx      transaction
	overdue *inflight // has given up the serializer without a reply; or nil
}

func newConn(p *path, name string, client, server net.Conn) *conn {
	return &conn{
		path: p, name: name, client: client, server: server,
		fromClient: newReader(client), toClient: bufio.NewWriterSize(client, readSize),
		fromServer: newReader(server), toServer: bufio.NewWriterSize(server, readSize),
		ended: make(chan struct{}),
	}
}

// run moves bytes until both sides have ended.
func (c *conn) run() {
	var up sync.WaitGroup
	up.Go(func() {
		c.commands()
		closeWrite(c.server)
	})
	c.replies()
	for _, f := range c.pairs.end() {
		c.settle(f, false)
	}
	close(c.ended)
	c.close()
	up.Wait()
}

func (c *conn) close() {
	// An error means that the other side has closed already.
	_ = c.client.Close()
	_ = c.server.Close()
}

// reset cuts the client off. What it has sent still goes to the server, so that a
// command in flight ends as usual, and the server then sees the end.
func (c *conn) reset() bool {
	if c.clientGone.Swap(true) {
		return false
	}
	abort(c.client)
	return true
}

// commands moves what the client sends until it sends no more.
func (c *conn) commands() {
	for {
		args, err := c.fromClient.command()
		if err != nil {
			c.send(c.fromClient.raw.Bytes())
			_ = c.toServer.Flush() // the other direction sees the end
			if errors.Is(err, ErrMalformed) {
				c.passUnseen(fmt.Errorf("command: %w", err))
			}
			return
		}
		if !c.pass(args) || !c.fromClient.more() && c.toServer.Flush() != nil {
			return
		}
	}
}

// send sends bytes to the server. An error stays with the writer and shows when
// it is flushed.
func (c *conn) send(b []byte) { _, _ = c.toServer.Write(b) }

// passUnseen moves the rest of what the client sends.
func (c *conn) passUnseen(why error) {
	c.giveUp(why)
	if c.toServer.Flush() == nil {
		// Its error is the end of the connection, which the other direction sees.
		_, _ = io.Copy(c.server, c.fromClient.br)
	}
}

// giveUp reports why commands and replies can no longer be told apart.
func (c *conn) giveUp(why error) {
	c.path.strange(fmt.Errorf("%s: %w: %w", c.name, why, ErrUnseen))
	c.pairs.giveUp()
}

// pass sends one command on. It returns false at the end of the connection.
func (c *conn) pass(args []string) bool {
	if len(args) == 0 {
		c.send(c.fromClient.raw.Bytes())
		return true
	}
	name := strings.ToLower(args[0])
	f := &inflight{name: name}
	key := c.path.o.Key
	if key != "" && c.tx.applies(name, args, key) && !c.pairs.inMessages() {
		return c.passAlone(f)
	}
	c.path.o.Command(c.path.client, name)
	if !c.pairs.sent(f) {
		return false
	}
	c.send(c.fromClient.raw.Bytes())
	if endsPairing(name, args) {
		c.passUnseen(fmt.Errorf("after %s", name))
		return false
	}
	return true
}

// passAlone sends a command that can touch the key while no other such command is
// in flight, and waits for its reply.
func (c *conn) passAlone(f *inflight) bool {
	if c.toServer.Flush() != nil {
		return false
	}
	if c.overdue != nil { // the server would not answer another command first
		within(replyTimeout, c.overdue.done)
		c.overdue = nil
	}
	if !c.path.o.Serial.lockUnless(c.ended) {
		return false
	}
	f.done = make(chan struct{})
	c.path.o.Before(c.path.client, f.name)
	c.path.o.Command(c.path.client, f.name)
	if !c.pairs.sent(f) {
		c.settle(f, false)
		return false
	}
	c.send(c.fromClient.raw.Bytes())
	// If this fails, the other direction ends too, and settles the command.
	_ = c.toServer.Flush()
	c.await(f)
	return true
}

// await waits until a command is settled, or settles it as overdue.
func (c *conn) await(f *inflight) {
	wait, blocks := replyTimeout, slices.Contains(blocking, f.name)
	if blocks {
		wait = blockingTimeout
	}
	if within(wait, f.done) {
		return
	}
	if !f.claim() {
		<-f.done
		return
	}
	if !blocks {
		c.path.strange(fmt.Errorf("%s: %s: %w (%v)", c.name, f.name, ErrNoReply, wait))
	}
	c.after(f)
	c.overdue = f
}

// within reports whether done is closed within d.
func within(d time.Duration, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

// settle ends a command: its reply has arrived, or never will.
func (c *conn) settle(f *inflight, answered bool) {
	if f.done == nil {
		return
	}
	defer close(f.done)
	if f.claim() || answered && c.path.o.Serial.lockUnless(c.path.ctx.Done()) {
		c.after(f)
	}
}

// after reports what a command may have done, and lets the next one pass.
func (c *conn) after(f *inflight) {
	c.path.o.After(c.path.client, f.name)
	c.path.o.Serial.Unlock()
}

// replies moves what the server sends until it sends no more.
func (c *conn) replies() {
	for {
		err := c.fromServer.reply()
		switch {
		case errors.Is(err, ErrMalformed):
			c.giveUp(fmt.Errorf("reply: %w", err))
			c.deliver(c.fromServer.raw.Bytes())
			c.flush()
			// Its error is the end of the connection.
			_, _ = io.Copy(c.client, c.fromServer.br)
			return
		case err != nil:
			c.deliver(c.fromServer.raw.Bytes())
			c.flush()
			if errors.Is(err, syscall.ECONNRESET) {
				c.reset()
			}
			return
		}
		f, err := c.pairs.reply(c.fromServer.raw.Bytes())
		if err != nil {
			c.path.strange(fmt.Errorf("%s: %w: %.40q", c.name, err, c.fromServer.raw.Bytes()))
		}
		if f != nil {
			c.settle(f, true)
		}
		if f == nil || !c.lose(f) {
			c.deliver(c.fromServer.raw.Bytes())
		}
		if !c.fromServer.more() {
			c.flush()
		}
	}
}

// lose drops the reply to a command if one is to be lost.
func (c *conn) lose(f *inflight) bool {
	if c.clientGone.Load() {
		return false
	}
	fired := c.path.takeLoss()
	if fired == nil {
		return false
	}
	c.flush() // earlier replies are not lost
	defer c.reset()
	fired(fmt.Sprintf("reply of %d bytes to %s on connection %s dropped, connection reset",
		c.fromServer.raw.Len(), f.name, c.name))
	return true
}

// deliver gives bytes to the client unless it is gone, which does not end the
// connection: what it sent before is still carried out.
func (c *conn) deliver(b []byte) {
	if c.clientGone.Load() {
		return
	}
	if _, err := c.toClient.Write(b); err != nil {
		c.clientGone.Store(true)
	}
}

func (c *conn) flush() {
	if !c.clientGone.Load() && c.toClient.Flush() != nil {
		c.clientGone.Store(true)
	}
}

// abort closes a connection with a TCP reset.
func abort(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // fails only if it is closed already
	}
	_ = c.Close()
}

// closeWrite tells the other side that no more will come.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // fails only if it is closed already
		return
	}
	_ = c.Close()
}
