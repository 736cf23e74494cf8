package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/text"
)

// maxDuration bounds every duration of a scenario, so that sums of them cannot
// overflow.
const maxDuration = 365 * 24 * time.Hour

// mustBe rejects a value of another kind than k. what names it in the error.
func (r *reader) mustBe(k nodeKind, what string, n *node, example string) {
	if n.kind != k {
		r.fail(n.place, ErrValue, fmt.Sprintf("%s must be %s, not %s", what, k, n.kind), "write it as "+example)
	}
}

// scalar is the text of a single value.
func (r *reader) scalar(e entry, example string) string {
	r.mustBe(scalarNode, e.key.text, e.value, example)
	return e.value.text
}

func (r *reader) mapping(what string, n *node, example string) []entry {
	r.mustBe(mappingNode, what, n, example)
	return n.entries
}

// word is one of the valid words. what is its role.
func (r *reader) word(what string, n *node, valid []string) string {
	r.mustBe(scalarNode, what, n, valid[0])
	return r.known(what, n.text, n.place, valid)
}

// known rejects a word that is not valid. what is its role.
func (r *reader) known(what, word string, p place, valid []string) string {
	if !slices.Contains(valid, word) {
		r.fail(p, ErrUnknown, fmt.Sprintf("unknown %s %s", what, shown(word)), text.Suggest(word, valid))
	}
	return word
}

// integer is a whole number from low to high.
func (r *reader) integer(e entry, low, high int64) int64 {
	text := r.scalar(e, strconv.FormatInt(max(low, 1), 10))
	hint := fmt.Sprintf("use %d to %d", low, high)
	if high == math.MaxInt64 {
		hint = fmt.Sprintf("use %d or more", low)
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || e.value.quoted {
		r.fail(e.value.place, ErrValue, fmt.Sprintf("%s must be a whole number, not %s", e.key.text, shown(text)), hint)
	}
	if v < low || v > high {
		r.fail(e.value.place, ErrValue, fmt.Sprintf("%s must not be %d", e.key.text, v), hint)
	}
	return v
}

func (r *reader) number(e entry) float64 {
	text := r.scalar(e, "1.1")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || e.value.quoted || math.IsNaN(v) || math.IsInf(v, 0) {
		r.fail(e.value.place, ErrValue, fmt.Sprintf("%s must be a number, not %s", e.key.text, shown(text)), "write it as 1.1")
	}
	return v
}

// duration is a Go duration of at least low.
func (r *reader) duration(e entry, low time.Duration) time.Duration {
	return r.atLeast(low, e, r.parseDuration(e, r.scalar(e, "30s")))
}

// durations is a duration "20s" or a range "15s..25s", of at least low.
func (r *reader) durations(e entry, low time.Duration) chaos.Range {
	text := r.scalar(e, "20s or 15s..25s")
	first, last, isRange := strings.Cut(text, "..")
	if !isRange {
		last = first
	}
	first, last = strings.TrimSpace(first), strings.TrimSpace(last)
	out := chaos.Range{Min: r.parseDuration(e, first), Max: r.parseDuration(e, last)}
	if out.Min > out.Max {
		r.fail(e.value.place, ErrValue, fmt.Sprintf("%s: range %s is upside down", e.key.text, shown(text)),
			fmt.Sprintf("did you mean %s..%s?", last, first))
	}
	r.atLeast(low, e, out.Min)
	return out
}

func (r *reader) atLeast(low time.Duration, e entry, d time.Duration) time.Duration {
	if d < low {
		hint := fmt.Sprintf("use %s or more", low)
		if low == 1 {
			hint = "use more than 0s"
		}
		r.fail(e.value.place, ErrValue, fmt.Sprintf("%s must not be %s", e.key.text, d), hint)
	}
	return d
}

func (r *reader) parseDuration(e entry, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err == nil && d <= maxDuration && d >= -maxDuration {
		return d
	}
	if err == nil || tooLong.MatchString(text) {
		r.fail(e.value.place, ErrValue, fmt.Sprintf("%s: %s is too long", e.key.text, shown(text)), "use at most 8760h")
	}
	r.fail(e.value.place, ErrValue, fmt.Sprintf("%s: %s is not a duration", e.key.text, shown(text)), durationHint(text))
	return 0
}

// tooLong matches what time.ParseDuration rejects only for its size.
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

// durationHint guesses what was meant by a number without a unit, or with a unit
// that Go does not know.
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
