package text

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{0, "0 s"},
		{200 * time.Microsecond, "200 µs"},
		{1500 * time.Microsecond, "1.5 ms"},
		{2500 * time.Millisecond, "2.5 s"},
		{40 * time.Second, "40 s"},
		{5 * time.Second / 3, "1.667 s"},
		{5 * time.Millisecond / 3, "1.667 ms"},
		{time.Second - 1, "1 s"},
		{time.Minute, "60 s"},
		{90 * time.Second, "90 s"},
		{10*time.Minute - time.Second, "599 s"},
		{10*time.Minute - 1, "10 min"},
		{10 * time.Minute, "10 min"},
		{time.Hour + 500*time.Millisecond, "1 h 500 ms"},
		{11*time.Minute + 100, "11 min"},
		{-time.Minute, "−60 s"},
		{math.MinInt64, "−2562047 h 47 min 16.855 s"},
		{7, "7 ns"},
	}
	for _, tt := range tests {
		if got := Duration(tt.d); got != tt.want {
			t.Errorf("Duration(%d) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestMeasured(t *testing.T) {
	for ns, want := range map[time.Duration]string{
		0: "0 s", 12: "12 ns", 1500: "1.50 µs", 350_000: "350 µs", 12_400_000: "12.4 ms",
		1e9: "1.00 s", 45e9: "45.0 s", 599e9: "599 s", 600e9: "10.0 min", -2e9: "−2.00 s",
		2 * time.Hour: "2.00 h", 36 * time.Hour: "36.0 h", 48 * time.Hour: "2.00 days",
	} {
		if got := Measured(ns); got != want {
			t.Errorf("Measured(%d) is %q, want %q", ns, got, want)
		}
	}
}

func TestMeasuredSecondsOfMoreThanADurationHolds(t *testing.T) {
	for s, want := range map[float64]string{1e11: "1157407 days", math.Inf(1): "–", math.NaN(): "–"} {
		if got := MeasuredSeconds(s); got != want {
			t.Errorf("MeasuredSeconds(%g) is %q, want %q", s, got, want)
		}
	}
}
