package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// ErrToxiproxy: the given Toxiproxy cannot be used.
var ErrToxiproxy = errors.New("toxiproxy cannot be used")

// errStranger: something other than a Toxiproxy answers.
var errStranger = errors.New("what answers is no Toxiproxy")

const (
	// probeTimeout bounds each step of the check of an external Toxiproxy.
	probeTimeout = 3 * time.Second
	// monitorInterval is the time between two checks that it is still there, and
	// monitorTimeout how long one may take.
	monitorInterval = 500 * time.Millisecond
	monitorTimeout  = 2 * time.Second
	// maxAnswer is larger than a busy Toxiproxy's list of all its proxies.
	maxAnswer = 16 << 20
)

// get queries the API at addr directly: the toxiproxy client's fixed timeout
// (30 s) is too long for a probe.
func get(ctx context.Context, addr, path string, timeout time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if !strings.Contains(addr, "://") {
		addr = "http://" + addr
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, addr+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read, or is not needed
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: %s", errStranger, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
}

// plainVersion is how a Toxiproxy before 2.5 reports its version.
var plainVersion = regexp.MustCompile(`^v?\d+\.\d+[\w.+-]*$`)

// probeVersion returns the version of the Toxiproxy at addr, or why there is none.
func probeVersion(ctx context.Context, addr string) (string, error) {
	body, err := get(ctx, addr, "/version", probeTimeout)
	var answer struct{ Version string }
	plain := strings.TrimSpace(string(body))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil && unanswered(err):
		return "", fmt.Errorf("%w: nothing answers at %s; is it running?", ErrToxiproxy, addr)
	case err != nil:
	case plainVersion.MatchString(plain):
		return plain, nil
	case json.Unmarshal(body, &answer) == nil && answer.Version != "":
		return answer.Version, nil
	}
	return "", fmt.Errorf("%w: %w at %s; is that the port of its API?", ErrToxiproxy, errStranger, addr)
}

// unanswered reports whether err means that nothing answers, rather than a
// stranger.
func unanswered(err error) bool {
	var dial *net.OpError
	var address *url.Error
	return errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &address) && address.Op == "parse" ||
		errors.Is(err, context.DeadlineExceeded)
}

// errNoRoute: a proxy leads elsewhere.
var errNoRoute = errors.New("a request through it did not arrive")

// checkRoute returns an error unless a proxy that open makes in the Toxiproxy at
// addr leads back here.
func checkRoute(ctx context.Context, addr string, open func(upstream string) (*proxy, error)) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrToxiproxy, err)
	}
	sign := fmt.Sprintf("simrun %d", time.Now().UnixNano())
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, sign) })}
	go func() { _ = s.Serve(l) }() // ends with Close
	defer func() { _ = s.Close() }()
	p, err := open(l.Addr().String())
	if err != nil {
		return err
	}
	body, err := get(ctx, p.Addr(), "/", probeTimeout)
	if err == nil && string(body) != sign {
		err = errNoRoute
	}
	if closed := p.Close(); err == nil {
		return closed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: a proxy made at %s does not lead back here: its proxies listen on 127.0.0.1, so it must run on this machine: %w",
		ErrToxiproxy, addr, err)
}

// monitorToxiproxy notes when the Toxiproxy at addr does not answer.
func monitorToxiproxy(addr string) *monitor {
	return startMonitor(monitorInterval, func(ctx context.Context, m *monitor, _, asked time.Time) {
		if _, err := get(ctx, addr, "/version", monitorTimeout); err != nil && ctx.Err() == nil {
			m.note(failure{asked, time.Now(), err})
		}
	})
}
