package virtual

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/rs/zerolog"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/virtual/memnet"
)

// toxicLinks holds one client's toxics and applies them to each of its
// connections. Each connection has its own Toxiproxy proxy, without a listener,
// and its own generator for toxicity: one generator for all would be drawn from
// in the order in which goroutines happen to run.
type toxicLinks struct {
	seed uint64
	srv  *toxiproxy.ApiServer
	open atomic.Int64 // directions that have not ended, also of cut links

	mu     sync.Mutex
	serial int
	active []activeToxic
	links  []*toxicLink // in the order of dialling
}

type activeToxic struct {
	serial int
	chaos.Toxic
}

// toxicLink is a connection and its proxy.
type toxicLink struct {
	*conn
	proxy *toxiproxy.Proxy
}

func newToxicLinks(seed uint64) *toxicLinks {
	return &toxicLinks{
		seed: seed,
		srv:  toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
	}
}

// join links the two halves of a new connection through the client's toxics.
func (l *toxicLinks) join(c *conn, client, server *memnet.Conn) error {
	link := &toxicLink{conn: c, proxy: toxiproxy.NewProxy(l.srv, c.id, "", "")}
	l.open.Add(2)
	link.proxy.Toxics.StartLink(l.srv, c.id+"upstream", client, &drain{Conn: server, open: &l.open}, stream.Upstream)
	link.proxy.Toxics.StartLink(l.srv, c.id+"downstream", server, &drain{Conn: client, open: &l.open}, stream.Downstream)
	l.mu.Lock()
	l.links = append(l.links, link)
	active := l.active
	l.mu.Unlock()
	for _, t := range active {
		if err := l.apply(t, link); err != nil {
			return err
		}
	}
	return nil
}

// drain is the end of one direction. Toxiproxy stops at the first write that fails,
// and data still on the way would block its goroutines for good: a drain closes the
// connection, as Toxiproxy does, and then swallows the rest.
type drain struct {
	*memnet.Conn
	closed bool // used by the one goroutine that writes
	open   *atomic.Int64
}

func (d *drain) Write(b []byte) (int, error) {
	if !d.closed {
		if _, err := d.Conn.Write(b); err != nil {
			d.closed = true
			_ = d.Conn.Close()
		}
	}
	return len(b), nil
}

// Close is called once, after the last Write.
func (d *drain) Close() error {
	d.open.Add(-1)
	return d.Conn.Close()
}

// add puts a toxic on all connections, present and future. hit is how many there
// are at present.
func (l *toxicLinks) add(t chaos.Toxic) (remove func(), hit int, err error) {
	l.mu.Lock()
	l.serial++
	active := activeToxic{l.serial, t}
	links := l.links
	l.mu.Unlock()
	for _, link := range links {
		if err := l.apply(active, link); err != nil {
			return nil, 0, err
		}
	}
	l.mu.Lock()
	l.active = append(l.active, active)
	l.mu.Unlock()
	return func() { l.remove(active.serial) }, len(links), nil
}

// apply puts a toxic on one connection, or not, by its toxicity.
func (l *toxicLinks) apply(t activeToxic, link *toxicLink) error {
	if t.Toxicity < 1 && engine.Generator(l.seed, fmt.Sprint("toxicity ", t.serial, link.id)).Float64() >= t.Toxicity {
		return nil
	}
	if t.Type == "reset_peer" {
		// Toxiproxy's own asserts a TCP connection, and would panic here.
		time.AfterFunc(time.Duration(t.Attributes["timeout"])*time.Millisecond, func() { link.reset() })
		return nil
	}
	spec, err := json.Marshal(map[string]any{
		"name": t.name(), "type": t.Type, "stream": t.Stream, "toxicity": 1, "attributes": t.Attributes,
	})
	if err != nil {
		return fmt.Errorf("toxic %s: %w", t.Type, err)
	}
	if _, err := link.proxy.Toxics.AddToxicJson(bytes.NewReader(spec)); err != nil {
		return fmt.Errorf("toxic %s: %w", t.Type, err)
	}
	return nil
}

// forget cuts a connection and drops its link.
func (l *toxicLinks) forget(link *toxicLink) {
	link.reset()
	l.mu.Lock()
	defer l.mu.Unlock()
	// A new slice: remove is ranging over this one.
	l.links = slices.DeleteFunc(slices.Clone(l.links), func(other *toxicLink) bool { return other == link })
}

// closes reports whether the toxic, or its removal, ends a connection.
func (t activeToxic) closes() bool { return t.Type == "timeout" || t.Type == "limit_data" }

// staggerStep separates what happens on several connections "at once", so that the
// seed decides its order.
const staggerStep = 1013 * time.Nanosecond

func (t activeToxic) name() string { return fmt.Sprintf("%s-%d", t.Type, t.serial) }

func (l *toxicLinks) remove(serial int) {
	l.mu.Lock()
	at := slices.IndexFunc(l.active, func(t activeToxic) bool { return t.serial == serial })
	gone := l.active[at]
	l.active = slices.Delete(slices.Clone(l.active), at, at+1) // join ranges over the old one
	links := l.links
	l.mu.Unlock()
	for _, link := range links {
		if gone.closes() && link.proxy.Toxics.GetToxic(gone.name()) != nil {
			// Toxiproxy closes the connection with the toxic and leaves the link's
			// other toxics in disorder: drop the link as a whole.
			l.forget(link)
		} else {
			// The only error is that the toxic is not there, which is fine.
			_ = link.proxy.Toxics.RemoveToxic(context.Background(), gone.name())
		}
		// What each connection held back arrives at an instant of its own.
		time.Sleep(staggerStep)
	}
}
