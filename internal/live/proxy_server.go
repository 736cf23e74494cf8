package live

import (
	"context"
	"encoding/json"
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

	"github.com/lockchaos/simrun/internal/modversion"
)

// proxyServer is a Toxiproxy, used through its HTTP API only.
type proxyServer struct {
	api     *toxiclient.Client
	addr    string
	server  *http.Server // nil if it is external
	outages *monitor     // nil if it is embedded
	version string       // as reported; empty if it is embedded
	serial  atomic.Int64
	mark    int64 // distinguishes our proxies from others
}

// openProxyServer uses the Toxiproxy at addr or, if that is empty, starts one in this
// process.
func openProxyServer(ctx context.Context, addr string) (*proxyServer, error) {
	p := &proxyServer{addr: addr, mark: time.Now().UnixNano()}
	if addr == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrToxiproxy, err)
		}
		silenceToxiproxyLog()
		api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
		p.addr = l.Addr().String()
		p.api = toxiclient.NewClient(p.addr)
		p.server = &http.Server{Handler: api.Routes()}
		go func() { _ = p.server.Serve(l) }() // ends with close
		return p, nil
	}
	p.api = toxiclient.NewClient(addr)
	var err error
	if p.version, err = probeVersion(ctx, addr); err != nil {
		return nil, err
	}
	if err := checkRoute(ctx, addr, func(upstream string) (*proxy, error) { return p.open("trial", upstream) }); err != nil {
		return nil, err
	}
	p.outages = monitorToxiproxy(addr)
	return p, nil
}

// silenceToxiproxyLog silences the process-wide logger, which Toxiproxy's
// bandwidth toxic uses instead of its server's. No lock runs in a process that
// embeds a Toxiproxy, so no lock's log is lost.
var silenceToxiproxyLog = sync.OnceFunc(func() { log.Logger = zerolog.Nop() })

// description is its version and where it runs.
func (p *proxyServer) description() string {
	if p.server != nil {
		return modversion.Version("github.com/Shopify/toxiproxy/v2") + ", embedded"
	}
	return p.version + " at " + p.addr
}

func (p *proxyServer) close() error {
	if p.server == nil {
		p.outages.close()
		return nil
	}
	return p.server.Close()
}

// outageSince returns an error if, since a run began, an external Toxiproxy did
// not answer or lost one of the run's proxies, as in a restart. The run then
// proves nothing.
func (p *proxyServer) outageSince(begun time.Time, used ...*proxy) error {
	if p.outages == nil {
		return nil
	}
	err := p.outages.longest(begun, time.Now()).err
	var body []byte
	if err == nil {
		body, err = get(context.Background(), p.addr, "/proxies", monitorTimeout)
	}
	there := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(body, &there)
	}
	if err != nil {
		return fmt.Errorf("the Toxiproxy at %s did not answer: %w", p.addr, err)
	}
	for _, one := range used {
		if _, ok := there[one.p.Name]; !ok {
			return fmt.Errorf("the Toxiproxy at %s has lost proxy %s: was it restarted?", p.addr, one.p.Name)
		}
	}
	return nil
}

// open makes a proxy from a free port to upstream.
func (p *proxyServer) open(client, upstream string) (*proxy, error) {
	name := fmt.Sprintf("simrun-%d-%d-%s", p.mark, p.serial.Add(1), client)
	made, err := p.api.CreateProxy(name, "127.0.0.1:0", upstream)
	if err != nil {
		return nil, fmt.Errorf("%w: proxy for client %s: %w", ErrToxiproxy, client, err)
	}
	return &proxy{p: made}, nil
}
