package virtual

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/rs/zerolog"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/virtual/memnet"
)

// toxicLinks holds one client's toxics and applies them to each of its
// connections. Each connection is a Toxiproxy proxy of its own, without a
// listener, so that whether a toxic hits it is drawn from a generator of its
// own and not in the order in which goroutines happen to run.
type toxicLinks struct {
	seed uint64
	srv  *toxiproxy.ApiServer

	mu     sync.Mutex
	serial int
	active []activeToxic
	links  []*toxicLink // in the order of dialling
	open   int          // directions of links, also of those that were cut
}

type activeToxic struct {
	serial int
	chaos.Toxic
}

// toxicLink is one connection's proxy.
type toxicLink struct {
	id    string
	proxy *toxiproxy.Proxy
	pair  *pair
}

func newToxicLinks(seed uint64) *toxicLinks {
	return &toxicLinks{
		seed: seed,
		srv:  toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
	}
}

// join puts the client's toxics between the two halves of a new connection.
func (l *toxicLinks) join(id string, pr *pair, client, server *memnet.Conn) error {
	link := &toxicLink{id: id, proxy: toxiproxy.NewProxy(l.srv, id, "", ""), pair: pr}
	l.mu.Lock()
	l.open += 2
	l.mu.Unlock()
	link.proxy.Toxics.StartLink(l.srv, id+"upstream", client, &drain{Conn: server, ended: l.ended}, stream.Upstream)
	link.proxy.Toxics.StartLink(l.srv, id+"downstream", server, &drain{Conn: client, ended: l.ended}, stream.Downstream)
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

// drain is where one direction ends. Toxiproxy stops at the first write that
// fails, and whatever is on its way to there blocks its goroutines for good: a
// drain closes the connection, as Toxiproxy does, and takes and loses the rest.
type drain struct {
	*memnet.Conn
	closed bool // of the one goroutine that writes
	ended  func()
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

// Close is called once, at the end of what is to be written.
func (d *drain) Close() error {
	d.ended()
	return d.Conn.Close()
}

func (l *toxicLinks) ended() {
	l.mu.Lock()
	l.open--
	l.mu.Unlock()
}

// settled reports whether no link has anything left to do.
func (l *toxicLinks) settled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open == 0
}

// add puts a toxic on all connections, present and future, and returns what
// removes it and how many connections it hit at once.
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

// apply puts one toxic on one connection, if its toxicity hits it.
func (l *toxicLinks) apply(t activeToxic, link *toxicLink) error {
	if t.Toxicity < 1 && engine.Generator(l.seed, fmt.Sprint("toxicity ", t.serial, link.id)).Float64() >= t.Toxicity {
		return nil
	}
	if t.Type == "reset_peer" {
		// Toxiproxy's own reaches for a TCP socket, and would panic here.
		time.AfterFunc(time.Duration(t.Attributes["timeout"])*time.Millisecond, link.pair.reset)
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
	link.pair.reset()
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := make([]*toxicLink, 0, len(l.links))
	for _, other := range l.links {
		if other != link {
			rest = append(rest, other)
		}
	}
	l.links = rest
}

// closes says that a connection ends with the toxic, or has been ended by it.
func (t activeToxic) closes() bool { return t.Type == "timeout" || t.Type == "limit_data" }

// apart keeps what happens on several connections or to several clients "at
// once" in an order that the seed decides.
const apart = 1013 * time.Nanosecond

func (t activeToxic) name() string { return fmt.Sprintf("%s-%d", t.Type, t.serial) }

func (l *toxicLinks) remove(serial int) {
	l.mu.Lock()
	var gone activeToxic
	var rest []activeToxic
	for _, t := range l.active {
		if t.serial == serial {
			gone = t
		} else {
			rest = append(rest, t)
		}
	}
	l.active = rest
	links := l.links
	l.mu.Unlock()
	for _, link := range links {
		if gone.closes() && link.proxy.Toxics.GetToxic(gone.name()) != nil {
			// Toxiproxy closes the connection with the toxic, and leaves the
			// link's other toxics in disorder: the link goes as a whole.
			l.forget(link)
		} else {
			// The only error is that the toxic is not there, as is wanted.
			_ = link.proxy.Toxics.RemoveToxic(context.Background(), gone.name())
		}
		// What was held back on each connection arrives at an instant of its own.
		time.Sleep(apart)
	}
}
