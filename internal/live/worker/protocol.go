package worker

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockchaos/simrun/internal/errclass"
	"github.com/lockchaos/simrun/internal/strictjson"
)

// ErrProtocol: a line of the worker was no answer to the request.
var ErrProtocol = errors.New("worker broke the protocol")

// Version of the protocol. A worker refuses to start on one it does not know.
const Version = 1

// maxLine bounds a line of the protocol in bytes, newline included.
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

// request is one line to a worker.
type request struct {
	ID int64  `json:"id"`
	Do string `json:"do"`
	*Config
	WaitMS int64 `json:"wait_ms,omitempty"`
	MS     int64 `json:"ms,omitempty"`
	Anyway bool  `json:"anyway,omitempty"`
}

// Config is what a worker makes its lock from: the fields of the start request,
// none of which is left out.
type Config struct {
	Version    int     `json:"version"`     // set by [Process.Start]
	Redis      string  `json:"redis"`       // host:port
	Password   string  `json:"password"`    // of the default user; empty if there is none
	Key        string  `json:"key"`         // the lock's key
	Owner      string  `json:"owner"`       // unique for each life of each client
	Strategy   string  `json:"strategy"`    // as registered; other workers may ignore it
	LeaseMS    int64   `json:"lease_ms"`    // see Millis
	RenewMS    int64   `json:"renew_ms"`    // between renewals
	Cap        int     `json:"cap"`         // the most renewals, for a lock that caps them
	Scale      float64 `json:"scale"`       // the scenario's times were divided by it
	JitterSeed uint64  `json:"jitter_seed"` // below 2^53, which every language can read
}

// Millis rounds a configured time to whole milliseconds, at least one.
func Millis(d time.Duration) int64 { return max(1, millis(d)) }

func millis(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }

func duration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// Answer is the result of a request.
type Answer struct {
	ID    int64  `json:"id"`
	OK    bool   `json:"ok"`
	Fence int64  `json:"fence,omitempty"` // of an acquired lease; 0: none
	Error string `json:"error,omitempty"` // a class of package errclass
	Lost  string `json:"lost,omitempty"`  // likewise: the lease is known to be lost
}

// parseRequest parses a line strictly.
func parseRequest(line []byte) (request, error) {
	var r request
	if err := strictjson.Unmarshal(line, &r, requestKeys, 0); err != nil {
		return request{}, err
	}
	if r.WaitMS < 0 || r.MS < 0 {
		return request{}, fmt.Errorf("a negative time in request %d", r.ID)
	}
	return r, nil
}

// parseAnswer parses the answer to r strictly: anything ambiguous is an
// [ErrProtocol].
func parseAnswer(line []byte, r request) (Answer, error) {
	var a Answer
	if err := strictjson.Unmarshal(line, &a, answerKeys, 0); err != nil {
		return Answer{}, protocolError(line, "%v", err)
	}
	if a.ID != r.ID {
		return Answer{}, protocolError(line, "an answer to request %d instead of %d", a.ID, r.ID)
	}
	if wrong := a.invalid(r.Do); wrong != "" {
		return Answer{}, protocolError(line, "%s: %s", r.Do, wrong)
	}
	return a, nil
}

// invalid returns why a is not a valid answer to such a request, or "".
func (a Answer) invalid(do string) string {
	asksLost := do == doWork || do == doCheck
	switch {
	case a.Fence < 0 || a.Fence > 0 && (do != doAcquire || !a.OK):
		return "a fence belongs to a lease that was acquired, and is positive"
	case a.OK && (a.Error != "" || a.Lost != ""):
		return "ok, with a reason for a failure"
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

var requestKeys, answerKeys = strictjson.Keys[request](), strictjson.Keys[Answer]()

// protocolError is an [ErrProtocol] with the beginning of the offending line. If
// that cannot have been meant as an answer, the error ends with the remedy.
func protocolError(line []byte, format string, args ...any) error {
	const most = 120
	dots, remedy := "", ""
	if strictjson.Unmarshal(line, &Answer{}, answerKeys, 0) != nil {
		remedy = "; a worker's standard output is for answers alone: print to the standard error"
	}
	if len(line) > most {
		line, dots = line[:most], "…"
	}
	return fmt.Errorf("%w: %s: %q%s%s", ErrProtocol, fmt.Sprintf(format, args...), line, dots, remedy)
}
