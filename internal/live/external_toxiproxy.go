package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// trialTimeout bounds each of the things that a Toxiproxy of others is tried by.
	trialTimeout = 3 * time.Second
	// askedEvery is how often it is asked whether it is still there, and
	// askTimeout how long it may take to say so.
	askedEvery = 500 * time.Millisecond
	askTimeout = 2 * time.Second
)

// silences are the times at which a Toxiproxy of others did not answer.
type silences struct {
	stop func()
	done chan struct{}

	mu    sync.Mutex
	noted []silence
}

// silence is a question that had no answer.
type silence struct {
	from, to time.Time
	why      error
}

// get asks the Toxiproxy itself, as its client waits ten times as long.
func (p *proxies) get(ctx context.Context, path string, timeout time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	root := p.addr
	if !strings.Contains(root, "://") {
		root = "http://" + root
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, root+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read, or is not wanted
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: %s", errStranger, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
}

// maxAnswer is longer than a list of all proxies of a busy Toxiproxy.
const maxAnswer = 16 << 20

// errStranger: who answers is no Toxiproxy.
var errStranger = errors.New("what answers is no Toxiproxy")

// plainVersion is how a Toxiproxy before 2.5 tells its version.
var plainVersion = regexp.MustCompile(`^v?\d+\.\d+[\w.+-]*$`)

// hello reports whether a Toxiproxy answers, and what it tells of itself.
func (p *proxies) hello(ctx context.Context) (version string, err error) {
	body, err := p.get(ctx, "/version", trialTimeout)
	var told struct{ Version string }
	plain := strings.TrimSpace(string(body))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil && unheard(err):
		return "", fmt.Errorf("%w: nothing answers at %s; is it running?", ErrToxiproxy, p.addr)
	case err != nil:
	case plainVersion.MatchString(plain):
		return plain, nil
	case json.Unmarshal(body, &told) == nil && told.Version != "":
		return told.Version, nil
	}
	return "", fmt.Errorf("%w: %w at %s; is that the port of its API?", ErrToxiproxy, errStranger, p.addr)
}

// unheard tells an error of who does not answer at all from one of a stranger.
func unheard(err error) bool {
	var dial *net.OpError
	var address *url.Error
	return errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &address) && address.Op == "parse" ||
		errors.Is(err, context.DeadlineExceeded)
}

// tried reports whether a proxy that is made there leads back here.
func (p *proxies) tried(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrToxiproxy, err)
	}
	defer func() { _ = l.Close() }() // nobody else knows of it
	way, err := p.open("trial", l.Addr().String())
	if err != nil {
		return err
	}
	err = passes(ctx, way.addr(), l)
	if removed := way.close(); err == nil {
		return removed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: a proxy made at %s does not lead back here: its proxies are to listen on 127.0.0.1, so it must run on this machine: %w",
		ErrToxiproxy, p.addr, err)
}

// passes reports whether bytes that are sent to addr come out at l.
func passes(ctx context.Context, addr string, l net.Listener) error {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	// All is closed when time is up, which ends all waits below; and nothing is
	// waited for once the other end hangs up.
	context.AfterFunc(ctx, func() { _, _ = conn.Close(), l.Close() })
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		cancel()
	}()
	sent := fmt.Appendf(nil, "simrun %d", time.Now().UnixNano())
	if _, err := conn.Write(sent); err != nil {
		return err
	}
	came, err := l.Accept()
	if err != nil {
		return errors.New("what was sent to it did not come")
	}
	defer func() { _ = came.Close() }()
	context.AfterFunc(ctx, func() { _ = came.Close() })
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(came, got); err != nil || !bytes.Equal(got, sent) {
		return errors.New("what was sent to it did not come")
	}
	return nil
}

// listen asks every now and then whether the Toxiproxy still answers.
func (p *proxies) listen() {
	ctx, cancel := context.WithCancel(context.Background())
	p.silent = &silences{stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.silent.done)
		again := time.NewTicker(askedEvery)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			asked := time.Now()
			if _, err := p.get(ctx, "/version", askTimeout); err != nil && ctx.Err() == nil {
				p.silent.note(silence{asked, time.Now(), err})
			}
		}
	}()
}

func (s *silences) note(one silence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted = append(s.noted, one)
}

// among is the first that lies in a time.
func (s *silences) among(from, to time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.noted, func(one silence) bool { return one.from.Before(to) && from.Before(one.to) })
	if i < 0 {
		return nil
	}
	return s.noted[i].why
}

// failed is why a run since then, by these clients' proxies, says nothing: a
// Toxiproxy that runs elsewhere went away, and maybe came back without them.
func (p *proxies) failed(since time.Time, of ...*proxy) error {
	if p.silent == nil {
		return nil
	}
	err := p.silent.among(since, time.Now())
	var body []byte
	if err == nil {
		body, err = p.get(context.Background(), "/proxies", askTimeout)
	}
	there := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(body, &there)
	}
	if err != nil {
		return fmt.Errorf("the Toxiproxy at %s did not answer: %w", p.addr, err)
	}
	for _, one := range of {
		if _, ok := there[one.p.Name]; !ok {
			return fmt.Errorf("the Toxiproxy at %s has lost proxy %s: was it restarted?", p.addr, one.p.Name)
		}
	}
	return nil
}
