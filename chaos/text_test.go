package chaos_test

import (
	"testing"
	"time"

	"github.com/lockchaos/simrun/chaos"
)

func TestRangeString(t *testing.T) {
	const second = time.Second
	tests := []struct {
		r    chaos.Range
		want string
	}{
		{chaos.Range{Min: 40 * second, Max: 40 * second}, "40 s"},
		{chaos.Range{Min: second, Max: 10 * second}, "1–10 s"},
		{chaos.Range{Min: 0, Max: 5 * time.Millisecond}, "0–5 ms"},
		{chaos.Range{Min: 500 * time.Millisecond, Max: 2 * second}, "500 ms – 2 s"},
		{chaos.Range{Min: 90 * second, Max: 12 * time.Minute}, "90 s – 12 min"},
		{chaos.Range{Min: 90 * second, Max: 2 * time.Minute}, "90–120 s"},
	}
	for _, tt := range tests {
		if got := tt.r.String(); got != tt.want {
			t.Errorf("%#v is %q, want %q", tt.r, got, tt.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	at := func(d time.Duration) *chaos.Range { return &chaos.Range{Min: d, Max: d} }
	seconds := func(low, high int) chaos.Range {
		return chaos.Range{Min: time.Duration(low) * time.Second, Max: time.Duration(high) * time.Second}
	}
	tests := []struct {
		fault string
		plan  chaos.Plan
		args  chaos.Args
		want  string
	}{
		{"pause", chaos.Plan{Client: "any", For: seconds(40, 40), On: "entered", After: seconds(1, 10), Every: 3}, chaos.Args{},
			"stops the whole process of the client for 40 s, 1–10 s after it entered, every 3rd time"},
		{"pause", chaos.Plan{Client: "all", For: seconds(40, 40), At: at(5 * time.Second)}, chaos.Args{},
			"stops the whole process of every client for 40 s, 5 s into the run"},
		{"pause", chaos.Plan{Client: "all", For: seconds(40, 40), On: "entered"}, chaos.Args{},
			"stops the whole process of every client for 40 s, as soon as a client entered, the first time"},
		{"hang", chaos.Plan{Client: "A", For: seconds(600, 600), On: "entered", Nth: 2}, chaos.Args{},
			"hangs the section of client A, deaf to everything, for 10 min, as soon as it entered, the 2nd time"},
		{"crash", chaos.Plan{Client: "any", At: at(0)}, chaos.Args{},
			"kills the process of a client drawn from the seed for good, 0 s into the run"},
		{"partition", chaos.Plan{Client: "any", For: seconds(30, 40), On: "renewed", Every: 1}, words("direction", "downstream", "mode", "drop"),
			"cuts the way from Redis to the client, losing what was sent, for 30–40 s, as soon as Redis renewed the lock for it, every time"},
		{"partition", chaos.Plan{Client: "B", For: seconds(30, 30), On: "expired"}, words("direction", "upstream"),
			"cuts the way from client B to Redis for 30 s, as soon as the lock ran out on it, the first time"},
		{"partition", chaos.Plan{Client: "any", For: seconds(30, 30), On: "released", Nth: 21}, chaos.Args{},
			"cuts the client off from Redis for 30 s, as soon as it released, the 21st time"},
		{"toxic", chaos.Plan{Client: "any", For: seconds(5, 5), On: "entered"}, toxic("latency", "", 0, map[string]int64{"latency": 100, "jitter": 10}),
			"puts the toxic latency (jitter 10, latency 100) on what Redis sends to the client for 5 s, as soon as it entered, the first time"},
		{"toxic", chaos.Plan{Client: "any", For: seconds(5, 5), On: "entered", Nth: 12}, toxic("slow_close", "upstream", 0, nil),
			"puts the toxic slow_close on what the client sends to Redis for 5 s, as soon as it entered, the 12th time"},
		{"reset", chaos.Plan{Client: "any", On: "command", Nth: 3}, chaos.Args{},
			"resets the connections of the client to Redis, as soon as a command from it reached Redis, the 3rd time"},
		{"reply-lost", chaos.Plan{Client: "any", On: "locked"}, chaos.Args{},
			"loses Redis's next reply to the client and resets that connection, as soon as Redis gave the lock to it, the first time"},
		{"delayed-write", chaos.Plan{Client: "any", On: "entered", Every: 2}, duration("by", 40*time.Second),
			"keeps the next write of the client in the network for 40 s, as soon as it entered, every 2nd time"},
		{"clock-jump", chaos.Plan{On: "crashed"}, duration("by", -time.Minute),
			"sets Redis's clock back by 60 s, as soon as a client crashed, the first time"},
		{"clock-jump", chaos.Plan{At: at(time.Second)}, duration("by", 31*time.Second),
			"sets Redis's clock forward by 31 s, 1 s into the run"},
		{"clock-rate", chaos.Plan{At: at(0), For: seconds(60, 60)}, rate(1.1),
			"lets Redis's clock run at 1.1 times real speed for 60 s, 0 s into the run"},
		{"redis-restart", chaos.Plan{For: seconds(2, 2), On: "entered", After: seconds(1, 3), Nth: 3}, words("data", "lost"),
			"restarts Redis, which loses its data and refuses everybody for 2 s, 1–3 s after a client entered, the 3rd time"},
		{"redis-restart", chaos.Plan{For: seconds(2, 2), At: at(5 * time.Second)}, words("data", "kept"),
			"restarts Redis, which keeps its data and refuses everybody for 2 s, 5 s into the run"},
		{"failover", chaos.Plan{On: "entered", After: seconds(0, 1), Every: 1}, duration("lag", 500*time.Millisecond),
			"kills Redis and promotes its replica, which is 500 ms behind, 0–1 s after a client entered, every time"},
		{"noop", chaos.Plan{Client: "any", On: "acquired"}, chaos.Args{},
			"marks a moment of the client, as soon as an acquire by it succeeded, the first time"},
	}
	covered := map[string]bool{}
	for _, tt := range tests {
		covered[tt.fault] = true
		tt.plan.Spec, _ = chaos.Lookup(tt.fault)
		if got := chaos.Describe(tt.plan, tt.args); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.fault, got, tt.want)
		}
	}
	for _, s := range chaos.Specs() {
		if !covered[s.Name] {
			t.Errorf("no test describes %s: add a case to TestDescribe", s.Name)
		}
	}
}

// Every word of `on:` has its words for people.
func TestTriggers(t *testing.T) {
	pause, _ := chaos.Lookup("pause")
	for _, word := range chaos.Triggers() {
		plan := chaos.Plan{Spec: pause, Client: "any", On: word}
		if got := chaos.Describe(plan, chaos.Args{}); len(got) < len("stops the whole process of the client for 0 s, as soon as it X") {
			t.Errorf("%s is described as %q", word, got)
		}
	}
}
