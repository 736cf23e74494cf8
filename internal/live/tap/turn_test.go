package tap

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// far is a connection through a tap in a bubble, with both its far ends.
type far struct {
	client, server net.Conn
	w              *witness
	tap            *Tap
}

func connect(t *testing.T, o func(*Options)) far {
	t.Helper()
	f := far{w: &witness{}}
	options := f.w.options("lock")
	if o != nil {
		o(&options)
	}
	f.tap = newTap("A", nil, options)
	near, client := net.Pipe()
	up, server := net.Pipe()
	f.client, f.server = client, server
	f.tap.all.Go(func() { f.tap.serve(near, up) })
	return f
}

// end closes the far ends and waits for the tap to be done.
func (f far) end() {
	_ = f.client.Close()
	_ = f.server.Close()
	f.tap.all.Wait()
}

func (f far) send(t *testing.T, c net.Conn, s string) {
	t.Helper()
	if _, err := c.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

func (f far) expect(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	for have := 0; have < len(got); {
		n, err := c.Read(got[have:])
		if err != nil {
			t.Fatalf("%v after %q, want %q", err, got[:have], want)
		}
		have += n
	}
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	synctest.Wait()
}

func (f far) told(t *testing.T, want string) {
	t.Helper()
	if got := f.w.take(); got != want {
		t.Errorf("told:\n%s\nwant:\n%s", got, want)
	}
}

// free reports whether nobody is inside.
func (f far) free() bool {
	select {
	case <-f.tap.o.Serial.free:
		f.tap.o.Serial.Unlock()
		return true
	default:
		return false
	}
}

var (
	set1  = bulks("SET", "lock", "1")
	get   = bulks("GET", "lock")
	blpop = bulks("BLPOP", "lock", "0")
)

func TestATurnLastsUntilTheReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, set1)
		f.expect(t, f.server, set1)
		f.told(t, "A before SET lock 1\nA set")
		if f.free() {
			t.Error("the turn ended before the reply")
		}
		f.send(t, f.server, "+OK\r\n")
		f.told(t, "A after set answered")
		if !f.free() {
			t.Error("the turn did not end with the reply")
		}
		f.expect(t, f.client, "+OK\r\n")
	})
}

func TestATurnIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, set1)
		f.expect(t, f.server, set1)
		time.Sleep(2*time.Second - 1)
		synctest.Wait()
		f.told(t, "A before SET lock 1\nA set")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		f.told(t, "strange: client A: A#1: set: no reply in time (2s)\nA after set unanswered")
		if !f.free() {
			t.Error("the turn goes on")
		}
		f.send(t, f.client, get) // must wait: the server answers in order
		f.told(t, "")
		f.send(t, f.server, "+OK\r\n")
		f.expect(t, f.client, "+OK\r\n")
		f.expect(t, f.server, get)
		f.told(t, "A after set late\nA before GET lock\nA get")
		f.send(t, f.server, "$1\r\n1\r\n")
		f.told(t, "A after get answered")
		f.expect(t, f.client, "$1\r\n1\r\n")
	})
}

func TestACommandThatWaitsKeepsNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, blpop)
		f.expect(t, f.server, blpop)
		time.Sleep(moment)
		synctest.Wait()
		f.told(t, "A before BLPOP lock 0\nA blpop\nA after blpop unanswered")
		time.Sleep(time.Hour)
		f.send(t, f.server, bulks("lock", "x"))
		f.told(t, "A after blpop late")
		f.expect(t, f.client, bulks("lock", "x"))
		if !f.free() {
			t.Error("the turn goes on")
		}
	})
}

func TestATurnEndsWithItsConnection(t *testing.T) {
	for name, end := range map[string]func(f far){
		"server ends":   func(f far) { _ = f.server.Close() },
		"tap is closed": func(f far) { f.tap.open()[0].close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := connect(t, nil)
				defer f.end()
				f.send(t, f.client, set1)
				f.expect(t, f.server, set1)
				f.w.take()
				end(f)
				synctest.Wait()
				f.told(t, "A after set unanswered")
				if !f.free() || f.tap.Conns() != 0 {
					t.Error("something outlived the connection")
				}
			})
		})
	}
}

// What a client sent before it went is carried out, and seen.
func TestAClientThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, set1+get)
		f.expect(t, f.server, set1)
		if n := f.tap.Reset(); n != 1 {
			t.Errorf("%d connections reset", n)
		}
		f.send(t, f.server, "+OK\r\n")
		f.expect(t, f.server, get)
		f.send(t, f.server, "$1\r\n1\r\n")
		f.told(t, "A before SET lock 1\nA set\nA after set answered\nA before GET lock\nA get\nA after get answered")
		if f.tap.Reset() != 0 {
			t.Error("reset twice")
		}
	})
}

// A connection whose turn has not come does not wait when its server has gone.
func TestWaitingForATurnEndsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		f.tap.o.Serial.Lock()
		f.send(t, f.client, set1)
		f.told(t, "")
		_ = f.server.Close()
		f.end()
		f.told(t, "")
		f.tap.o.Serial.Unlock()
	})
}

func TestAReplyThatIsStrangePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, bulks("PING"))
		f.expect(t, f.server, bulks("PING"))
		f.w.take()
		f.send(t, f.server, "what")
		f.send(t, f.server, "ever\r\n")
		f.expect(t, f.client, "whatever\r\n")
		f.send(t, f.server, "more")
		f.expect(t, f.client, "more")
		f.told(t, `strange: client A: A#1: reply: not Redis's protocol: a line begins "whatever", want one of +-:_#,($=!*~>%|: later commands pass unseen`)
	})
}

func TestACallbackMayInjectAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f far
		f = connect(t, func(o *Options) {
			o.Command = func(client, name string) {
				f.w.note("%d reset", f.tap.Reset())
				f.tap.LoseReply(func(string) {})
			}
		})
		defer f.end()
		f.send(t, f.client, bulks("PING"))
		f.told(t, "1 reset")
	})
}
