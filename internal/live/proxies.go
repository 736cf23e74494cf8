package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/rs/zerolog"
	"github.com/rs/zerolog/log"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/modversion"
)

// ErrToxiproxy: the Toxiproxy that was named cannot be used.
var ErrToxiproxy = errors.New("toxiproxy cannot be used")

// proxies is a Toxiproxy, driven through its HTTP API alone.
type proxies struct {
	api    *toxiclient.Client
	addr   string
	server *http.Server // nil: it runs elsewhere
	silent *silences    // when it did not answer; nil: it runs here
	tells  string       // its version, as it tells
	serial atomic.Int64
	mark   int64 // tells our proxies from those of others
}

// openProxies reaches the Toxiproxy at addr, or starts one in this process.
func openProxies(ctx context.Context, addr string) (*proxies, error) {
	p := &proxies{addr: addr, mark: time.Now().UnixNano()}
	if addr == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrToxiproxy, err)
		}
		hush()
		api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
		p.addr = l.Addr().String()
		p.server = &http.Server{Handler: api.Routes()}
		go func() { _ = p.server.Serve(l) }() // ends with close
	}
	p.api = toxiclient.NewClient(p.addr)
	if p.server != nil {
		return p, nil
	}
	var err error
	if p.tells, err = p.hello(ctx); err != nil {
		return nil, err
	}
	if err := p.tried(ctx); err != nil {
		return nil, err
	}
	p.listen()
	return p, nil
}

// hush silences the logger that Toxiproxy's bandwidth toxic uses instead of its
// server's. No lock runs in the process that embeds a Toxiproxy, and so none logs
// there.
var hush = sync.OnceFunc(func() { log.Logger = zerolog.Nop() })

// version is its version, and where it runs.
func (p *proxies) version() string {
	if p.server != nil {
		return modversion.Version("github.com/Shopify/toxiproxy/v2") + ", embedded"
	}
	return p.tells + " at " + p.addr
}

func (p *proxies) close() error {
	if p.silent != nil {
		p.silent.stop()
		<-p.silent.done
	}
	if p.server == nil {
		return nil
	}
	return p.server.Close()
}

// proxy is one client's.
type proxy struct {
	of     *proxies
	p      *toxiclient.Proxy
	serial atomic.Int64
}

// open makes a proxy from a free port to upstream.
func (p *proxies) open(client, upstream string) (*proxy, error) {
	name := fmt.Sprintf("simrun-%d-%d-%s", p.mark, p.serial.Add(1), client)
	made, err := p.api.CreateProxy(name, "127.0.0.1:0", upstream)
	if err != nil {
		return nil, fmt.Errorf("%w: proxy for client %s: %w", ErrToxiproxy, client, err)
	}
	return &proxy{of: p, p: made}, nil
}

func (p *proxy) addr() string { return p.p.Listen }

func (p *proxy) close() error {
	if err := p.p.Delete(); err != nil {
		return fmt.Errorf("%w: %w", ErrToxiproxy, err)
	}
	return nil
}

// add puts a toxic on the client's connections. The proof is what Toxiproxy's
// API tells of it afterwards. Times in its attributes are the scenario's.
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

// timed are the attributes that are times, in milliseconds or microseconds.
var timed = map[string]bool{"latency": true, "jitter": true, "timeout": true, "delay": true}

// rated are the attributes that are so much in a time: kilobytes in a second.
var rated = map[string]bool{"rate": true}

// scaled divides the times among a toxic's attributes, and multiplies the rates. A
// time does not become 0, which is another toxic: a timeout of 0 never ends.
func scaled(attributes map[string]int64, scale float64) toxiclient.Attributes {
	out := toxiclient.Attributes{}
	for name, v := range attributes {
		if timed[name] && v > 0 {
			v = max(1, int64(float64(v)/scale))
		}
		if rated[name] {
			v = int64(float64(v) * scale)
		}
		out[name] = v
	}
	return out
}
