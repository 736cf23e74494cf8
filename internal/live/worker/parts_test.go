package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseCommand(t *testing.T) {
	tests := []struct {
		line string
		want []string // nil: an error
	}{
		{"java -jar mylock.jar", []string{"java", "-jar", "mylock.jar"}},
		{"  a\t b\n", []string{"a", "b"}},
		{`'my lock' --name="a b" c\ d`, []string{"my lock", "--name=a b", "c d"}},
		{`a '' "it's" '\'`, []string{"a", "", "it's", `\`}},
		{`a "say \"hi\""`, []string{"a", `say "hi"`}},
		{"", nil},
		{"  ", nil},
		{"''", nil},
		{"a 'b", nil},
		{`a "b`, nil},
		{`a \`, nil},
	}
	for _, tt := range tests {
		c, err := ParseCommand(tt.line)
		if tt.want == nil {
			if !errors.Is(err, ErrCommand) {
				t.Errorf("%q: %v, want ErrCommand", tt.line, err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, append([]string{c.Path}, c.Args...)); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", tt.line, err, diff)
		}
	}
}

func FuzzParseCommand(f *testing.F) {
	f.Add(`a 'b c' "d" \e`)
	f.Fuzz(func(t *testing.T, line string) {
		c, err := ParseCommand(line)
		if err == nil && c.Path == "" {
			t.Errorf("%q names no program, but was accepted", line)
		}
	})
}

func TestSpend(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name          string
		lostAt, endAt time.Duration // 0: never
		ok            bool
		took          time.Duration
	}{
		{"all of it", 0, 0, true, 452 * ms},
		{"until the lease is lost", 201 * ms, 0, false, 201 * ms},
		{"until the worker ends", 0, 33 * ms, true, 33 * ms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				lost := make(chan struct{})
				if tt.lostAt > 0 {
					time.AfterFunc(tt.lostAt, func() { close(lost) })
				}
				if tt.endAt > 0 {
					time.AfterFunc(tt.endAt, cancel)
				}
				begun := time.Now()
				if ok := spend(ctx, 452*ms, lost); ok != tt.ok || time.Since(begun) != tt.took {
					t.Errorf("%v after %v, want %v after %v", ok, time.Since(begun), tt.ok, tt.took)
				}
			})
		})
	}
}

// A lease that is already lost is reported even if there is no work.
func TestSpendNothing(t *testing.T) {
	lost := make(chan struct{})
	close(lost)
	if spend(t.Context(), 0, lost) {
		t.Error("a lost lease was not reported")
	}
	if !spend(t.Context(), 0, nil) {
		t.Error("a lock that never reports a loss has lost its lease")
	}
}

func TestStoppedTimeDoesNotCountAsWork(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		slice: slice, slice + time.Millisecond: slice + time.Millisecond, 40 * time.Second: mostCounted,
	} {
		if got := counted(took); got != want {
			t.Errorf("a slice that took %v counts %v, want %v", took, got, want)
		}
	}
}

func TestTimeoutsAreScaledDownToWhatAMachineCanDo(t *testing.T) {
	for scale, want := range map[float64]time.Duration{1: 5 * time.Second, 10: 500 * time.Millisecond, 1000: leastTimeout} {
		if got := redisOptions(&Config{Scale: scale}).ReadTimeout; got != want {
			t.Errorf("scale %v: %v, want %v", scale, got, want)
		}
	}
}
