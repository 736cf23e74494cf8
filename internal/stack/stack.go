// Package stack reads dumps of Go's goroutines and says whose code a frame is.
//
// Goals: one parser and one scrubber for the runner, the virtual world and the
// reports; what depends on folder names follows a move of folders.
// Non-goals: deciding what a stack means for a lock.
package stack

import (
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Goroutine is one goroutine of a dump.
type Goroutine struct {
	State   string  // what it does: "running", "sync.Mutex.Lock", ...
	Durable bool    // only another goroutine of its bubble can wake it
	Bubble  string  // number of its synctest bubble; empty outside of any
	Frames  []Frame // innermost first; the last one is the go statement that started it, where the dump has it
	Text    string  // as it stands in the dump
}

// Frame is one call of a goroutine.
type Frame struct {
	Func    string // with its package's path and without arguments
	Args    string // as they stand in the dump
	Place   string // file:line
	Created bool   // Func started the goroutine
}

var headerRE = regexp.MustCompile(`^goroutine \d+(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]*)\]`)

// Parse lists the goroutines of a dump, in its order, and leaves out whatever
// else is in it.
func Parse(dump string) []Goroutine {
	var out []Goroutine
	for block := range strings.SplitSeq(dump, "\n\n") {
		block = strings.TrimSpace(block)
		m := headerRE.FindStringSubmatch(block)
		if m == nil {
			continue
		}
		state, rest, _ := strings.Cut(m[1], ",")
		g := Goroutine{Frames: Frames(block), Text: block}
		g.State, g.Durable = strings.CutSuffix(state, " (durable)")
		_, g.Bubble, _ = strings.Cut(rest, "synctest bubble ")
		out = append(out, g)
	}
	return out
}

// Frames reads the frames of one goroutine, with or without the line that heads
// it.
func Frames(goroutine string) []Frame {
	var out []Frame
	lines := strings.Split(goroutine, "\n")
	for i := 0; i+1 < len(lines); i++ {
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok || strings.HasPrefix(lines[i], "\t") {
			continue
		}
		place, _, _ = strings.Cut(place, " +0x")
		f := Frame{Place: place}
		if f.Func, f.Created = strings.CutPrefix(lines[i], "created by "); f.Created {
			f.Func, _, _ = strings.Cut(f.Func, " in goroutine ")
		} else if at := strings.LastIndexByte(f.Func, '('); at > 0 && strings.HasSuffix(f.Func, ")") {
			f.Func, f.Args = f.Func[:at], f.Func[at+1:len(f.Func)-1]
		}
		out = append(out, f)
	}
	return out
}

// Culprit is the frame to blame for the goroutine's panic: the innermost one
// outside the standard library below the first call of panic, where there was
// one. It is the zero Frame where there is none.
func (g Goroutine) Culprit() Frame {
	frames := g.Frames
	for i, f := range frames {
		if f.Func == "panic" {
			frames = g.Frames[i+1:] // a deferred function may have panicked again
		}
	}
	for _, f := range frames {
		if f.Owner() != Standard {
			return f
		}
	}
	return Frame{}
}

// Creator is the go statement that started the goroutine; the zero Frame if the
// dump does not have it.
func (g Goroutine) Creator() Frame {
	if n := len(g.Frames); n > 0 && g.Frames[n-1].Created {
		return g.Frames[n-1]
	}
	return Frame{}
}

// Calls reports whether the goroutine is in a call of f, which is a function or
// a method value.
func (g Goroutine) Calls(f any) bool {
	name := strings.TrimSuffix(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name(), "-fm")
	return slices.ContainsFunc(g.Frames, func(f Frame) bool { return !f.Created && f.Func == name })
}

// Owner says whose code a frame is.
type Owner uint8

// The owners.
const (
	Lock     Owner = iota // a lock's, or a library's that it uses
	Standard              // the runtime's and the standard library's
	Simrun                // this module's, without the locks that it brings
	Bundled               // of the libraries that make the world of a run: miniredis, Toxiproxy
	Redis                 // go-redis
)

// module is the path of this module.
var module = strings.TrimSuffix(reflect.TypeFor[Frame]().PkgPath(), "/internal/stack")

// prefixes are paths of modules and folders by owner; the first that fits counts.
var prefixes = []struct {
	path  string
	owner Owner
}{
	{module + "/lock", Lock},
	{module + "/examples", Lock},
	{module, Simrun},
	{"github.com/alicebob/miniredis/v2", Bundled},
	{"github.com/Shopify/toxiproxy/v2", Bundled},
	{"github.com/redis/go-redis", Redis},
}

// Package is the path of the frame's package; empty for a built-in function.
func (f Frame) Package() string {
	dir := f.Func[:strings.LastIndexByte(f.Func, '/')+1]
	pkg, _, ok := strings.Cut(f.Func[len(dir):], ".")
	if !ok {
		return ""
	}
	return dir + pkg
}

// Owner says whose code the frame is. What stands in a test file is taken for
// a lock's: no product has any.
func (f Frame) Owner() Owner {
	pkg := f.Package()
	if pkg == "" || f.standard(pkg+"/") {
		return Standard
	}
	if file, _, _ := strings.Cut(f.Place, ".go:"); strings.HasSuffix(file, "_test") {
		return Lock
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(pkg, p.path); ok && (rest == "" || rest[0] == '/') {
			return p.owner
		}
	}
	return Lock
}

// standard says whether a package is of the standard library: no element of its
// folder has a dot, and its files lie in GOROOT. (A lock's module may lack dots,
// too.)
func (f Frame) standard(path string) bool {
	return !strings.Contains(path, ".") && (strings.Contains(f.Place, "/src/"+path) || strings.HasPrefix(f.Place, path))
}

// All is a dump of all goroutines, the caller's first.
func All() string {
	for size := 1 << 16; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return string(buf[:n])
		}
	}
}

// most is the length in bytes of a scrubbed stack, about.
const most = 16 << 10

var scrubbed = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?m)(goroutine|bubble) \d+`), "$1 N"},
	{regexp.MustCompile(`, \d+ minutes`), ""},
	{regexp.MustCompile(`(?m)^(\S.*)\([^()\n]*0x[^()\n]*\)$`), "$1(...)"},
	{regexp.MustCompile(`0x[0-9a-f]+`), "0x…"},
}

// Scrub removes from a dump what differs between two runs of one seed, which
// are numbers of goroutines, addresses and arguments, and cuts it to 16 KiB.
func Scrub(dump string) string {
	for _, s := range scrubbed {
		dump = s.re.ReplaceAllString(dump, s.with)
	}
	if len(dump) > most {
		dump = strings.ToValidUTF8(dump[:most], "") + "\n… cut"
	}
	return strings.TrimSpace(dump)
}
