package check

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every property says all that the rest of simrun wants to know of it.
func TestPropertiesAreComplete(t *testing.T) {
	names, letters := map[string]bool{}, map[string]string{}
	for _, p := range Properties {
		missing := func(field, remedy string) { t.Errorf("property %s: give it a %s %s", p.Name, field, remedy) }
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(p.Name) || names[p.Name] {
			missing("Name", "of small letters and hyphens that nothing else has")
		}
		names[p.Name] = true
		if p.Unit != Nanoseconds && p.Unit != Count {
			missing("Unit", "Nanoseconds or Count: what the Size of its violations is")
		}
		if other := letters[p.Letter]; len(p.Letter) != 1 || strings.Contains("X!", p.Letter) || other != "" {
			var taken string
			for l := range letters {
				taken += l
			}
			missing("Letter", "of its own for charts, none of X! and "+taken+": "+p.Letter+" is that of "+other+", too")
		}
		letters[p.Letter] = p.Name
		if p.Severity < Corruption || p.Severity > Leftover {
			missing("Severity", "from Corruption to Leftover")
		}
		if p.Broken == "" || strings.HasSuffix(p.Broken, ".") {
			missing("Broken", "sentence for reports, without a full stop, as \"two clients are inside at once\"")
		}
		if p.DependsOn == "" {
			missing("DependsOn", "clause that begins with whether, how or what: what decides, beside the lock, whether a run shows it")
		}
		if p.Bound > 0 && p.BoundLeases > 0 {
			missing("Bound", "or BoundLeases, not both")
		}
		if p.watch == nil {
			missing("watch", "function that makes its checker")
		}
	}
	for _, o := range Observations {
		if names[o.Name] || o.DependsOn == "" || o.Count == nil || o.Runs == nil {
			t.Errorf("observation %s: give it a Name of its own, DependsOn, Count and Runs", o.Name)
		}
		names[o.Name] = true
	}
}

func TestCompareRanksTheWorstFirst(t *testing.T) {
	order := []string{"stale-write", "lost-update", "overlap", "foreign-release", "zombie", "orphan", "stuck", "starved", "late-notice", "old-fence", "leak", "a", "b"}
	for i, a := range order {
		for j, b := range order {
			if got := Compare(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("Compare(%s, %s) is %d", a, b, got)
			}
		}
	}
}

// A property that is written but not registered would judge nothing.
func TestEveryPropertyIsRegistered(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^var (\w+) = Property\{\s*Name:\s*"([^"]*)"`).FindAllStringSubmatch(string(src), -1) {
			if _, ok := Lookup(m[2]); !ok {
				t.Errorf("%s: add %s to Properties in judge.go", file, m[1])
			}
		}
	}
	cases, err := filepath.Glob("testdata/properties/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		if name := strings.TrimSuffix(filepath.Base(file), ".txt"); place(name) < 0 {
			t.Errorf("%s: there is no property %s in Properties in judge.go: rename or remove the file, or add the property", file, name)
		}
	}
}
