package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// longFrom is the duration from which minutes are used. Leases, pauses and waits
// are compared with each other, so shorter ones are all in seconds.
const longFrom = 10 * time.Minute

// Duration formats a duration that somebody chose, to at most three decimals:
// "40 s", "1.667 s", "90 s", "10 min", "1 h 30 s", "200 µs".
func Duration(d time.Duration) string {
	if d < 0 {
		return "−" + Duration(-max(d, -math.MaxInt64)) // the least duration has no positive twin
	}
	if r := d.Round(time.Millisecond); r >= longFrom {
		return long(r)
	}
	return short(d)
}

// short formats a duration in one unit. It rounds before it chooses the unit:
// 999.9999 ms are "1 s".
func short(d time.Duration) string {
	unit, name := time.Nanosecond, "ns"
	switch {
	case d == 0 || d.Round(time.Microsecond) >= time.Second:
		unit, name = time.Second, "s"
	case d >= time.Millisecond:
		unit, name = time.Millisecond, "ms"
	case d >= time.Microsecond:
		unit, name = time.Microsecond, "µs"
	}
	d = d.Round(max(unit/1000, 1))
	return strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64) + " " + name
}

// long formats whole milliseconds in hours, minutes and the rest.
func long(d time.Duration) string {
	var parts []string
	if h := d / time.Hour; h > 0 {
		parts = append(parts, fmt.Sprintf("%d h", h))
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		parts = append(parts, fmt.Sprintf("%d min", m))
	}
	if rest := d % time.Minute; rest > 0 {
		parts = append(parts, short(rest))
	}
	return strings.Join(parts, " ")
}

// Measured formats a measured duration with three significant digits: "350 µs",
// "12.4 ms", "45.0 s", "12.5 min".
func Measured(d time.Duration) string { return MeasuredSeconds(d.Seconds()) }

// MeasuredSeconds is [Measured] of seconds, of which there may be more than a
// time.Duration holds: "2.50 h", "12.3 days". What is no number is "–".
func MeasuredSeconds(s float64) string {
	switch {
	case math.IsNaN(s) || math.IsInf(s, 0):
		return "–"
	case s < 0:
		return "−" + MeasuredSeconds(-s)
	case s == 0:
		return "0 s"
	case s < 1e-6:
		return fmt.Sprintf("%.0f ns", s*1e9)
	case s < 1e-3:
		return threeDigits(s*1e6) + " µs"
	case s < 1:
		return threeDigits(s*1e3) + " ms"
	case s < longFrom.Seconds():
		return threeDigits(s) + " s"
	case s < 2*60*60:
		return threeDigits(s/60) + " min"
	case s < 2*24*60*60:
		return threeDigits(s/60/60) + " h"
	default:
		return threeDigits(s/24/60/60) + " days"
	}
}

func threeDigits(v float64) string {
	decimals := 2
	for limit := 10.0; decimals > 0 && v >= limit; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
