package tap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// conn is one connection of the client and the one to the server that belongs
// to it. One goroutine moves commands up, another replies down.
type conn struct {
	t    *Tap
	name string

	client, server net.Conn
	fromClient     *reader
	fromServer     *reader
	toClient       *bufio.Writer
	toServer       *bufio.Writer

	pairs pairing
	ended chan struct{} // closed once no reply will come
	deaf  atomic.Bool   // the client takes no more

	// Of the goroutine that moves commands.
	tx   transaction
	late *pending // whose turn ended before its reply came
}

func newConn(t *Tap, name string, client, server net.Conn) *conn {
	return &conn{
		t: t, name: name, client: client, server: server,
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
	for _, p := range c.pairs.end() {
		c.settle(p, false)
	}
	close(c.ended)
	c.close()
	up.Wait()
}

func (c *conn) close() {
	// An error is that the other side has closed, which is what is wanted.
	_ = c.client.Close()
	_ = c.server.Close()
}

// reset cuts the client off. What it has sent goes on to the server, so that a
// command under way ends as it would, and the server then sees the end.
func (c *conn) reset() bool {
	if c.deaf.Swap(true) {
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
			c.send(c.fromClient.raw)
			_ = c.toServer.Flush() // the other direction sees the end
			if errors.Is(err, ErrMalformed) {
				c.t.strange(fmt.Errorf("%s: command: %w: %w", c.name, err, ErrUnseen))
				c.passUnseen()
			}
			return
		}
		if !c.pass(args) {
			return
		}
		if !c.fromClient.more() && c.toServer.Flush() != nil {
			return
		}
	}
}

// send sends bytes to the server. An error stays with the writer and shows when
// it is flushed.
func (c *conn) send(b []byte) { _, _ = c.toServer.Write(b) }

// passUnseen moves the rest of what the client sends.
func (c *conn) passUnseen() {
	c.pairs.blindly()
	if c.toServer.Flush() == nil {
		// Its error is the end of the connection, which the other direction sees.
		_, _ = io.Copy(c.server, c.fromClient.br)
	}
}

// pass sends one command on. It reports false if the connection is at its end.
func (c *conn) pass(args [][]byte) bool {
	if len(args) == 0 {
		c.send(c.fromClient.raw)
		return true
	}
	name := strings.ToLower(string(args[0]))
	p := &pending{name: name, subscribes: subscribing[name]}
	key := c.t.o.Key
	if key != "" && c.tx.applies(name, args, key) && !c.pairs.inMessages() {
		return c.turn(p, args)
	}
	c.t.command(name)
	if !c.pairs.sent(p) {
		return false
	}
	c.send(c.fromClient.raw)
	if blinding(name, args) {
		c.t.strange(fmt.Errorf("%s: after %s: %w", c.name, name, ErrUnseen))
		c.passUnseen()
		return false
	}
	return true
}

// replies moves what the server sends until it sends no more.
func (c *conn) replies() {
	for {
		err := c.fromServer.reply()
		switch {
		case errors.Is(err, ErrMalformed):
			c.t.strange(fmt.Errorf("%s: reply: %w: %w", c.name, err, ErrUnseen))
			c.pairs.blindly()
			c.deliver(c.fromServer.raw)
			c.flush()
			// Its error is the end of the connection.
			_, _ = io.Copy(c.client, c.fromServer.br)
			return
		case err != nil:
			c.deliver(c.fromServer.raw)
			c.flush()
			if errors.Is(err, syscall.ECONNRESET) {
				c.reset()
			}
			return
		}
		p, err := c.pairs.reply(c.fromServer.raw)
		if err != nil {
			c.t.strange(fmt.Errorf("%s: %w: %.40q", c.name, err, c.fromServer.raw))
		}
		if p != nil {
			c.settle(p, true)
		}
		if p == nil || !c.lose(p) {
			c.deliver(c.fromServer.raw)
		}
		if !c.fromServer.more() {
			c.flush()
		}
	}
}

// lose drops the reply to a command if one is to be lost.
func (c *conn) lose(p *pending) bool {
	if c.deaf.Load() {
		return false
	}
	fired := c.t.takeLoss()
	if fired == nil {
		return false
	}
	c.flush() // earlier replies are not lost
	defer c.reset()
	fired(fmt.Sprintf("reply of %d bytes to %s on connection %s dropped, connection reset",
		len(c.fromServer.raw), p.name, c.name))
	return true
}

// deliver gives bytes to the client, if it still takes any. A client that has
// gone does not end the connection: what it sent before is still carried out.
func (c *conn) deliver(b []byte) {
	if c.deaf.Load() {
		return
	}
	if _, err := c.toClient.Write(b); err != nil {
		c.deaf.Store(true)
	}
}

func (c *conn) flush() {
	if !c.deaf.Load() && c.toClient.Flush() != nil {
		c.deaf.Store(true)
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
