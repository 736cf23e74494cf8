package tap

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// farEnds is a connection through a tap in a bubble, seen from both its ends.
type farEnds struct {
	client, server net.Conn
	w              *witness
	tap            *Tap
}

func connect(t *testing.T, o func(*Options)) farEnds {
	t.Helper()
	f := farEnds{w: &witness{}}
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

// end closes both ends and waits for the tap.
func (f farEnds) end() {
	_ = f.client.Close()
	_ = f.server.Close()
	f.tap.all.Wait()
}

func (f farEnds) send(t *testing.T, c net.Conn, s string) {
	t.Helper()
	if _, err := c.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

func (f farEnds) expect(t *testing.T, c net.Conn, want string) {
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

func (f farEnds) reported(t *testing.T, want string) {
	t.Helper()
	if got := f.w.take(); got != want {
		t.Errorf("reported:\n%s\nwant:\n%s", got, want)
	}
}

// free reports whether the serializer is unlocked.
func (f farEnds) free() bool {
	return len(f.tap.o.Serial) == 0
}

var (
	set1  = bulks("SET", "lock", "1")
	get   = bulks("GET", "lock")
	blpop = bulks("BLPOP", "lock", "0")
)

func TestSerializerIsHeldUntilTheReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, set1)
		f.expect(t, f.server, set1)
		f.reported(t, "A before set\nA set")
		if f.free() {
			t.Error("unlocked before the reply")
		}
		f.send(t, f.server, "+OK\r\n")
		f.reported(t, "A after set")
		if !f.free() {
			t.Error("still locked after the reply")
		}
		f.expect(t, f.client, "+OK\r\n")
	})
}

func TestSerializerIsHeldForABoundedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, set1)
		f.expect(t, f.server, set1)
		time.Sleep(2*time.Second - 1)
		synctest.Wait()
		f.reported(t, "A before set\nA set")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		f.reported(t, "strange: client A: A#1: set: no reply in time (2s)\nA after set")
		if !f.free() {
			t.Error("still locked")
		}
		f.send(t, f.client, get) // must wait: the server answers in order
		f.reported(t, "")
		f.send(t, f.server, "+OK\r\n")
		f.expect(t, f.client, "+OK\r\n")
		f.expect(t, f.server, get)
		f.reported(t, "A after set\nA before get\nA get")
		f.send(t, f.server, "$1\r\n1\r\n")
		f.reported(t, "A after get")
		f.expect(t, f.client, "$1\r\n1\r\n")
	})
}

func TestABlockingCommandDoesNotKeepOthersWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		defer f.end()
		f.send(t, f.client, blpop)
		f.expect(t, f.server, blpop)
		time.Sleep(blockingTimeout)
		synctest.Wait()
		f.reported(t, "A before blpop\nA blpop\nA after blpop")
		time.Sleep(time.Hour)
		f.send(t, f.server, bulks("lock", "x"))
		f.reported(t, "A after blpop")
		f.expect(t, f.client, bulks("lock", "x"))
		if !f.free() {
			t.Error("still locked")
		}
	})
}

func TestSerializerIsUnlockedWhenTheConnectionEnds(t *testing.T) {
	for name, end := range map[string]func(f farEnds){
		"server ends":   func(f farEnds) { _ = f.server.Close() },
		"tap is closed": func(f farEnds) { f.tap.open()[0].close() },
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
				f.reported(t, "A after set")
				if !f.free() || len(f.tap.open()) != 0 {
					t.Error("still locked, or the connection is still open")
				}
			})
		})
	}
}

// What a client sent before it was cut off is carried out, and seen.
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
		f.reported(t, "A before set\nA set\nA after set\nA before get\nA get\nA after get")
		if f.tap.Reset() != 0 {
			t.Error("reset twice")
		}
	})
}

// A connection that waits for the serializer gives up when its server is gone.
func TestWaitingForTheSerializerEndsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := connect(t, nil)
		f.tap.o.Serial.Lock()
		f.send(t, f.client, set1)
		f.reported(t, "")
		_ = f.server.Close()
		f.end()
		f.reported(t, "")
		f.tap.o.Serial.Unlock()
	})
}

func TestAMalformedReplyPasses(t *testing.T) {
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
		f.reported(t, `strange: client A: A#1: reply: not Redis's protocol: a line begins "whatever", want one of +-:_#,($=!*~>%|: later commands pass unseen`)
	})
}

func TestACallbackMayInjectAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f farEnds
		f = connect(t, func(o *Options) {
			o.Command = func(client, name string) {
				f.w.note("%d reset", f.tap.Reset())
				f.tap.LoseReply(func(string) {})
			}
		})
		defer f.end()
		f.send(t, f.client, bulks("PING"))
		f.reported(t, "1 reset")
	})
}
