package check

import (
	"math/rand/v2"

	"github.com/lockchaos/simrun/internal/history"
)

// busy makes a history of n events as a long run has them: clients that wait,
// hold, renew, work and release in turn, now and then past their lease.
func busy(n int) (history.Header, []history.Event) {
	g := &generator{rng: rand.New(rand.NewPCG(1, 2)), stock: 1 << 30}
	h := history.Header{
		Version: history.FormatVersion, Mode: "sim", Scenario: "busy", Strategy: "watchdog", Clients: []string{"A", "B", "C"},
		Lease: 30e9, Stock: g.stock, Sections: n,
	}
	sections := map[string]int{}
	for len(g.events) < n {
		c := h.Clients[g.rng.IntN(3)]
		sections[c]++
		g.section(c, sections[c])
	}
	g.events = g.events[:n-1]
	left := h.Stock
	for _, e := range g.events {
		if e.Kind == history.Wrote {
			left--
		}
	}
	g.emit(history.Event{Kind: history.End, Value: left})
	return h, g.events
}

type generator struct {
	rng            *rand.Rand
	events         []history.Event
	at             int64
	stock, version int64
}

func (g *generator) emit(e history.Event) {
	g.at += 1 + g.rng.Int64N(1e6)
	e.Seq, e.At = len(g.events)+1, g.at
	g.events = append(g.events, e)
}

func (g *generator) section(c string, n int) {
	do := func(k history.Kind) { g.emit(history.Event{Kind: k, Client: c, Section: n}) }
	do(history.Waiting)
	g.emit(history.Event{Kind: history.Command, Client: c, Detail: "EVALSHA"})
	g.emit(history.Event{Kind: history.Locked, Client: c, Dur: 30e9})
	do(history.Acquired)
	do(history.Entered)
	g.emit(history.Event{Kind: history.Read, Client: c, Section: n, Value: g.stock, Version: g.version})
	for range g.rng.IntN(4) {
		g.at += 10e9
		g.emit(history.Event{Kind: history.Command, Client: c, Detail: "EVALSHA"})
		g.emit(history.Event{Kind: history.Renewed, Client: c, Owner: c, Dur: 30e9})
	}
	do(history.Checked)
	g.stock--
	g.emit(history.Event{Kind: history.Wrote, Client: c, Section: n, Value: g.stock, Version: g.version})
	g.version++
	do(history.Left)
	do(history.Releasing)
	g.emit(history.Event{Kind: history.Command, Client: c, Detail: "EVALSHA"})
	if g.rng.IntN(20) == 0 {
		g.emit(history.Event{Kind: history.Expired, Owner: c})
	} else {
		g.emit(history.Event{Kind: history.Unlocked, Client: c, Owner: c})
	}
	do(history.Released)
}

// wild makes a history of n events in which anything may follow anything.
func wild(seed uint64, n int) (history.Header, []history.Event) {
	rng := rand.New(rand.NewPCG(seed, 3))
	names := []string{"A", "B", "C", "D", ""}
	faults := []string{"1:pause", "2:partition", ""}
	kinds := history.Kinds()
	h := history.Header{Version: history.FormatVersion, Clients: names[:3], Lease: 1e9, Stock: 10, Faults: faults[:2]}
	events := make([]history.Event, n)
	var at int64
	for i := range events {
		at += rng.Int64N(1e9)
		events[i] = history.Event{
			Seq: i + 1, At: at, Kind: kinds[rng.IntN(len(kinds)-1)], Client: names[rng.IntN(5)], Owner: names[rng.IntN(5)],
			Section: rng.IntN(4), Value: rng.Int64N(3), Version: rng.Int64N(4), Dur: rng.Int64N(3) * 1e9, Fault: faults[rng.IntN(3)],
		}
	}
	if n > 0 {
		events[n-1].Kind = history.End
	}
	return h, events
}

// All judges a whole history that is in memory.
func All(h history.Header, events []history.Event) Report {
	j := NewJudge(h)
	for i := range events {
		j.Event(&events[i])
	}
	return j.Report()
}
