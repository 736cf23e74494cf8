package stack

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The paths that tell owners apart are those of go.mod.
func TestPathsAreThoseOfTheModule(t *testing.T) {
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod := string(b)
	if !strings.HasPrefix(mod, "module "+module+"\n") {
		t.Errorf("the module is not %s: has this package been moved? Correct module", module)
	}
	for _, p := range prefixes {
		if !strings.HasPrefix(p.path, module) && !strings.Contains(mod, "\t"+p.path) {
			t.Errorf("go.mod does not require %s", p.path)
		}
	}
	for _, dir := range []string{"lock", "examples"} {
		if _, err := os.Stat("../../" + dir); err != nil {
			t.Error(err)
		}
	}
}

func TestParse(t *testing.T) {
	const dump = `noise

goroutine 7 gp=0xc000002380 m=0 mp=0x1 [running]:
main.main()
	/x/main.go:3 +0x1d

goroutine 22 [sync.RWMutex.RLock (durable), 2 minutes, synctest bubble 3]:
shop.(*Lock).TTL(0xc000123, {0x1, 0x2})
	/x/lock.go:9 +0x25
created by shop.New in goroutine 7
	/x/lock.go:2 +0x5
`
	got := Parse(dump)
	for i := range got {
		got[i].Text = ""
	}
	want := []Goroutine{
		{State: "running", Frames: []Frame{{Func: "main.main", Place: "/x/main.go:3"}}},
		{State: "sync.RWMutex.RLock", Durable: true, Bubble: "3", Frames: []Frame{
			{Func: "shop.(*Lock).TTL", Args: "0xc000123, {0x1, 0x2}", Place: "/x/lock.go:9"}, {Func: "shop.New", Place: "/x/lock.go:2", Created: true},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestOwner(t *testing.T) {
	for _, tt := range []struct {
		call, place string
		want        Owner
	}{
		{"panic", "/usr/local/go/src/runtime/panic.go:860", Standard},
		{"sync.(*Once).Do", "/usr/local/go/src/sync/once.go:78", Standard},
		{"sync.(*Mutex).Lock", "sync/mutex.go:9", Standard},
		{"internal/sync.(*Mutex).Lock", "/go/src/internal/sync/mutex.go:9", Standard},
		{"shop/locks.(*lock).shut", "/home/shop/locks/lock.go:86", Lock},
		{"main.(*lock).Release", "/home/shop/main.go:78", Lock},
		{"example.org/lock.(*L).renew", "/l.go:65", Lock},
		{"github.com/redis/go-redis/v9.(*Client).Process", "/m/redis.go:5", Redis},
		{"github.com/redis/go-redis/v9/internal/pool.(*ConnPool).Get", "/m/pool.go:5", Redis},
		{"github.com/Shopify/toxiproxy/v2/toxics.(*LatencyToxic).Pipe", "/m/latency.go:5", Bundled},
		{"github.com/alicebob/miniredis/v2/server.(*Server).servePeer", "/m/server.go:5", Bundled},
		{module + "/internal/virtual.(*world).run.func1", "/s/run.go:5", Simrun},
		{module + "/chaos.fault.Apply", "/s/fault.go:5", Simrun},
		{module + "/scenarios.Load", "/s/load.go:5", Simrun},
		{module + "/lock.(*handle).renew", "/s/renewal.go:5", Lock},
		{module + "/lock_test.try", "/s/x_test.go:5", Lock},
		{module + "/internal/virtual.(*panicky).Acquire", "/s/misbehave_test.go:5", Lock},
		{module + "x/internal.f", "/s/x.go:5", Lock},
	} {
		if got := (Frame{Func: tt.call, Place: tt.place}).Owner(); got != tt.want {
			t.Errorf("%s: owner %d, want %d", tt.call, got, tt.want)
		}
	}
}

func TestCulprit(t *testing.T) {
	const (
		rethrow = "panic({0x1, 0x2})\n\t/go/src/runtime/panic.go:860 +0x1\nmine.again(...)\n\t/x/again.go:4 +0x1\n"
		first   = "panic({0x1, 0x2})\n\t/go/src/runtime/panic.go:860 +0x1\nsync.(*Once).Do(...)\n\t/go/src/sync/once.go:78\n"
		lock    = "shop.(*lock).shut(...)\n\t/x/lock.go:86\n"
		started = "created by shop.New in goroutine 7\n\t/x/lock.go:2 +0x5"
	)
	for name, tt := range map[string]struct{ frames, want string }{
		"the innermost call outside the standard library": {first + lock + "main.main()\n\t/x/main.go:2", "shop.(*lock).shut"},
		"a panic that was passed on":                      {rethrow + first + lock, "shop.(*lock).shut"},
		"who started what is the library's alone":         {first + started, "shop.New"},
		"no panic but a fatal error":                      {lock + started, "shop.(*lock).shut"},
		"nothing":                                         {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Goroutine{Frames: Frames(tt.frames)}).Culprit().Func; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAllShowsThisTest(t *testing.T) {
	if !Parse(All())[0].Calls(TestAllShowsThisTest) {
		t.Error("the test is not in a call of itself")
	}
	if all := Parse(All()); len(all) < 2 || all[0].State != "running" || all[0].Culprit().Func != module+"/internal/stack.All" {
		t.Errorf("%+v", all)
	}
}

func TestScrubLeavesWhatTwoRunsShare(t *testing.T) {
	a := Scrub("goroutine 7 [sleep, 3 minutes]:\nmine.(*Lock).Acquire(0xc000123, {0x1, 0x2})\n\t/x/lock.go:7 +0x25")
	b := Scrub("goroutine 9 [sleep]:\nmine.(*Lock).Acquire(0xc000999, {0x1, 0x3})\n\t/x/lock.go:7 +0x25")
	if a != b {
		t.Errorf("differ:\n%s\n%s", a, b)
	}
	if !strings.Contains(a, "mine.(*Lock).Acquire(...)") || !strings.Contains(a, "/x/lock.go:7") {
		t.Errorf("lost too much:\n%s", a)
	}
	if long := Scrub(strings.Repeat("é", most)); len(long) > most+10 {
		t.Errorf("a stack of %d bytes is kept", len(long))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("goroutine 1 [running]:\nmain.main()\n\t/x/main.go:3 +0x1d")
	f.Add("goroutine 1 []\ncreated by \n\t")
	f.Add("goroutine 1 [,]\n()\n\t/src/")
	f.Fuzz(func(_ *testing.T, dump string) {
		for _, g := range Parse(dump) {
			g.Culprit()
		}
	})
}
