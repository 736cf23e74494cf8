package live

import (
	"fmt"
	"sync/atomic"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"

	"github.com/lockchaos/simrun/chaos"
)

// proxy is one proxy in a Toxiproxy: a client's, or a replica's [redisserver.Link].
type proxy struct {
	p      *toxiclient.Proxy
	serial atomic.Int64
}

func (p *proxy) Addr() string { return p.p.Listen }

func (p *proxy) Close() error {
	if err := p.p.Delete(); err != nil {
		return fmt.Errorf("delete proxy %s: %w", p.p.Name, err)
	}
	return nil
}

// add puts a toxic on the client's connections. The proof is what Toxiproxy's API
// then reports. Times in its attributes are the scenario's.
func (p *proxy) add(t chaos.Toxic, scale float64) (remove func() error, proof string, err error) {
	name := fmt.Sprintf("%s-%d", t.Type, p.serial.Add(1))
	if _, err := p.p.AddToxic(name, t.Type, t.Stream, float32(t.Toxicity), scaled(t.Attributes, scale)); err != nil {
		return nil, "", fmt.Errorf("toxic %s: %w", t.Type, err)
	}
	present, err := p.p.Toxics()
	if err != nil {
		return nil, "", fmt.Errorf("toxic %s: %w", t.Type, err)
	}
	for _, seen := range present {
		if seen.Name == name {
			proof = fmt.Sprintf("toxic %s %s seen at Toxiproxy's API, proxy %s: %v", seen.Type, seen.Stream, p.p.Name, seen.Attributes)
		}
	}
	if proof == "" {
		return nil, "", fmt.Errorf("toxic %s: Toxiproxy does not list it", t.Type)
	}
	return func() error { return p.p.RemoveToxic(name) }, proof, nil
}

// Delay slows what comes from upstream.
func (p *proxy) Delay(lag time.Duration) (proof string, err error) {
	_, proof, err = p.add(chaos.Toxic{
		Type: "latency", Stream: "downstream", Toxicity: 1, Attributes: map[string]int64{"latency": max(1, lag.Milliseconds())},
	}, 1)
	return proof, err
}

// scaled divides the times among a toxic's attributes, in milliseconds or
// microseconds, and multiplies the rates. A time does not become 0, which would be
// another toxic: a timeout of 0 never ends.
func scaled(attributes map[string]int64, scale float64) toxiclient.Attributes {
	out := toxiclient.Attributes{}
	for name, v := range attributes {
		switch name {
		case "latency", "jitter", "timeout", "delay":
			if v > 0 {
				v = max(1, int64(float64(v)/scale))
			}
		case "rate": // kilobytes per second
			v = int64(float64(v) * scale)
		}
		out[name] = v
	}
	return out
}
