package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/text"
)

// maxDuration bounds every duration of a scenario, so that sums of them cannot
// overflow.
const maxDuration = 365 * 24 * time.Hour

// reader turns nodes into values. Its methods fail with an [*Error] that names
// the place.
type reader struct{ file string }

func (r *reader) fail(p place, kind error, msg, hint string) error {
	return &Error{File: r.file, Line: p.line, Col: p.col, Msg: msg, Hint: hint, Kind: kind}
}

// scalar is the text of a single value; key names it in the error.
func (r *reader) scalar(key string, n *node, example string) (string, error) {
	if n.kind != scalarNode {
		return "", r.fail(n.place, ErrValue, fmt.Sprintf("%s must be a single value, not %s", key, n.kind), "write it as "+example)
	}
	return n.text, nil
}

func (r *reader) mapping(key string, n *node, example string) ([]pair, error) {
	if n.kind != mappingNode {
		return nil, r.fail(n.place, ErrValue, fmt.Sprintf("%s must be a mapping, not %s", key, n.kind), "write it as "+example)
	}
	return n.pairs, nil
}

// word is one of the valid words.
func (r *reader) word(key string, n *node, valid []string) (string, error) {
	text, err := r.scalar(key, n, valid[0])
	if err != nil {
		return "", err
	}
	return text, r.known(key, text, n.place, valid)
}

// known refuses a word that is none of the valid ones. what is its role.
func (r *reader) known(what, word string, p place, valid []string) error {
	for _, v := range valid {
		if word == v {
			return nil
		}
	}
	return r.fail(p, ErrUnknown, fmt.Sprintf("unknown %s %s", what, shown(word)), text.Suggest(word, valid))
}

// integer is a whole number from low to high.
func (r *reader) integer(key string, n *node, low, high int64) (int64, error) {
	text, err := r.scalar(key, n, strconv.FormatInt(max(low, 1), 10))
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n.quoted {
		return 0, r.fail(n.place, ErrValue, fmt.Sprintf("%s must be a whole number, not %s", key, shown(text)), bounds(low, high))
	}
	if v < low || v > high {
		return 0, r.fail(n.place, ErrValue, fmt.Sprintf("%s must not be %d", key, v), bounds(low, high))
	}
	return v, nil
}

func bounds(low, high int64) string {
	if high == math.MaxInt64 {
		return fmt.Sprintf("use %d or more", low)
	}
	return fmt.Sprintf("use %d to %d", low, high)
}

func (r *reader) number(key string, n *node) (float64, error) {
	text, err := r.scalar(key, n, "1.1")
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || n.quoted || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, r.fail(n.place, ErrValue, fmt.Sprintf("%s must be a number, not %s", key, shown(text)), "write it as 1.1")
	}
	return v, nil
}

// duration is a Go duration of either sign.
func (r *reader) duration(key string, n *node) (time.Duration, error) {
	text, err := r.scalar(key, n, "30s")
	if err != nil {
		return 0, err
	}
	return r.parseDuration(key, text, n.place)
}

func (r *reader) parseDuration(key, text string, p place) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d <= maxDuration && d >= -maxDuration {
		return d, nil
	}
	if err == nil || tooLong.MatchString(text) {
		return 0, r.fail(p, ErrValue, fmt.Sprintf("%s: %s is too long", key, shown(text)), "use at most 8760h")
	}
	return 0, r.fail(p, ErrValue, fmt.Sprintf("%s: %s is not a duration", key, shown(text)), durationHint(text))
}

// tooLong matches what time.ParseDuration refuses only for its size.
var tooLong = regexp.MustCompile(`^[-+]?[0-9]+(ns|us|µs|ms|s|m|h)$`)

// numberAndUnit splits "30 sec" into its number and its unit.
var numberAndUnit = regexp.MustCompile(`^([-+]?[0-9]{1,18}(?:\.[0-9]{1,9})?) *([A-Za-z]*)\.?$`)

// goUnits are the units that people write, as Go writes them.
var goUnits = map[string]string{
	"": "s", "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
	"ms": "ms", "msec": "ms", "msecs": "ms", "millis": "ms", "millisecond": "ms", "milliseconds": "ms",
	"us": "us", "usec": "us", "micros": "us", "microsecond": "us", "microseconds": "us",
}

// durationHint guesses what was meant by a number without a unit, or with a
// unit that Go does not know.
func durationHint(text string) string {
	parts := numberAndUnit.FindStringSubmatch(text)
	if parts == nil {
		return "write it as 30s, 1m30s or 500ms"
	}
	unit := goUnits[strings.ToLower(parts[2])]
	if unit == "" {
		return "the units are h, m, s, ms, us"
	}
	return "did you mean " + parts[1] + unit + "?"
}

// durationFrom is a duration that is at least low.
func (r *reader) durationFrom(key string, n *node, low time.Duration) (time.Duration, error) {
	d, err := r.duration(key, n)
	if err == nil && d < low {
		err = r.fail(n.place, ErrValue, fmt.Sprintf("%s must not be %s", key, d), leastHint(low))
	}
	return d, err
}

func leastHint(low time.Duration) string {
	if low == 1 {
		return "use more than 0s"
	}
	return fmt.Sprintf("use %s or more", low)
}

// rangeFrom is a duration "20s" or a range "15s..25s", whose ends are at least
// low.
func (r *reader) rangeFrom(key string, n *node, low time.Duration) (chaos.Range, error) {
	var out chaos.Range
	text, err := r.scalar(key, n, "20s or 15s..25s")
	if err != nil {
		return out, err
	}
	first, last, isRange := strings.Cut(text, "..")
	if !isRange {
		last = first
	}
	if out.Min, err = r.parseDuration(key, strings.TrimSpace(first), n.place); err != nil {
		return out, err
	}
	if out.Max, err = r.parseDuration(key, strings.TrimSpace(last), n.place); err != nil {
		return out, err
	}
	switch {
	case out.Min > out.Max:
		return out, r.fail(n.place, ErrValue, fmt.Sprintf("%s: range %s is upside down", key, shown(text)),
			fmt.Sprintf("did you mean %s..%s?", strings.TrimSpace(last), strings.TrimSpace(first)))
	case out.Min < low:
		return out, r.fail(n.place, ErrValue, fmt.Sprintf("%s must not be %s", key, out.Min), leastHint(low))
	}
	return out, nil
}
