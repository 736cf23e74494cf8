package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/lockchaos/simrun/internal/errclass"
)

// Version is the protocol's: a worker refuses to start on one it does not know.
const Version = 1

// maxLine bounds a line of the protocol in bytes, its end included.
const maxLine = 16 << 10

// The requests.
const (
	doStart   = "start"
	doAcquire = "acquire"
	doWork    = "work"
	doCheck   = "check"
	doSend    = "send"
	doRelease = "release"
	doStop    = "stop"
)

// Config is what a worker makes its lock from.
type Config struct {
	Redis      string // host:port
	Password   string // of the default user; empty if there is none
	Key        string // the lock's key
	Owner      string // unique in every life of every client
	Strategy   string // as registered; a worker of another kind may ignore it
	Lease      time.Duration
	Renew      time.Duration // between renewals
	Cap        int           // renewals at most, for a lock that caps them
	Scale      float64       // the scenario's times were divided by it
	JitterSeed uint64        // below 2^53, so that any language can read it
}

// request is one line to a worker.
type request struct {
	ID int64  `json:"id"`
	Do string `json:"do"`
	*Setup
	WaitMS int64 `json:"wait_ms,omitempty"`
	MS     int64 `json:"ms,omitempty"`
	Anyway bool  `json:"anyway,omitempty"`
}

// Setup is a Config as it is sent: no field is left out. It is exported for the
// reader of JSON alone.
type Setup struct {
	Version    int     `json:"version"`
	Redis      string  `json:"redis"`
	Password   string  `json:"password"`
	Key        string  `json:"key"`
	Owner      string  `json:"owner"`
	Strategy   string  `json:"strategy"`
	LeaseMS    int64   `json:"lease_ms"`
	RenewMS    int64   `json:"renew_ms"`
	Cap        int     `json:"cap"`
	Scale      float64 `json:"scale"`
	JitterSeed uint64  `json:"jitter_seed"`
}

func (c Config) wire() *Setup {
	return &Setup{
		Version: Version, Redis: c.Redis, Password: c.Password,
		Key: c.Key, Owner: c.Owner, Strategy: c.Strategy,
		LeaseMS: max(1, millis(c.Lease)), RenewMS: max(1, millis(c.Renew)), Cap: c.Cap,
		Scale: c.Scale, JitterSeed: c.JitterSeed,
	}
}

func millis(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }

func duration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// Answer is what the lock said.
type Answer struct {
	ID    int64  `json:"id"`
	OK    bool   `json:"ok"`
	Fence int64  `json:"fence,omitempty"` // of an acquired lease; 0 if it has none
	Error string `json:"error,omitempty"` // a class of package errclass
	Lost  string `json:"lost,omitempty"`  // likewise: the lease is known to be lost
}

// parseRequest reads a line strictly.
func parseRequest(line []byte) (request, error) {
	var r request
	if err := strictly(line, &r); err != nil {
		return request{}, err
	}
	if r.WaitMS < 0 || r.MS < 0 {
		return request{}, fmt.Errorf("a negative time in request %d", r.ID)
	}
	return r, nil
}

// parseAnswer reads the answer to r strictly: what may mean two things is rubbish.
func parseAnswer(line []byte, r request) (Answer, error) {
	var a Answer
	if err := strictly(line, &a); err != nil {
		return Answer{}, rubbish(line, "%v", err)
	}
	if a.ID != r.ID {
		return Answer{}, rubbish(line, "an answer to request %d, where %d was asked", a.ID, r.ID)
	}
	if wrong := a.misfit(r.Do); wrong != "" {
		return Answer{}, rubbish(line, "%s: %s", r.Do, wrong)
	}
	return a, nil
}

// misfit says what makes a no answer to such a request; it is empty if it is one.
func (a Answer) misfit(do string) string {
	asksLost := do == doWork || do == doCheck
	switch {
	case a.Fence < 0 || a.Fence > 0 && (do != doAcquire || !a.OK):
		return "a fence belongs to a lease that was acquired, and is positive"
	case a.OK && (a.Error != "" || a.Lost != ""):
		return "ok, and yet something is wrong"
	case a.OK:
		return ""
	case asksLost && (a.Lost == "" || a.Error != ""):
		return `not ok: say why in "lost" alone`
	case !asksLost && (a.Error == "" || a.Lost != ""):
		return `not ok: say why in "error" alone`
	case do == doSend || do == doStop:
		return "this cannot fail"
	case do != doStart && !errclass.Known(a.Error+a.Lost):
		return fmt.Sprintf("the reason is none of %q", errclass.All())
	}
	return ""
}

// strictly reads one JSON object: an unknown field or anything after it is an error.
func strictly(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("more than one value in a line")
	}
	return nil
}
