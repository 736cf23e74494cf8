package scenarios

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var ladder = []string{"naive", "token", "watchdog", "capped", "guarded", "fenced"}

// Each built-in scenario reads, bears the name of its file, and says what it
// expects of every lock of the ladder.
func TestBuiltin(t *testing.T) {
	for i, s := range Builtin() {
		t.Run(Names()[i], func(t *testing.T) {
			if s.Name != Names()[i] {
				t.Errorf("name %q, want %q", s.Name, Names()[i])
			}
			if s.Source == "" || s.Story == "" {
				t.Error("a built-in scenario needs a source and a story")
			}
			if diff := cmp.Diff(ladder, s.Strategies()); diff != "" {
				t.Errorf("strategies (-want +got):\n%s", diff)
			}
			for _, name := range ladder {
				if len(s.Expect[name]) == 0 {
					t.Errorf("nothing is expected of %s", name)
				}
			}
		})
	}
}

func TestNamesAreTheFilesOfTheLibrary(t *testing.T) {
	files, err := fs.Glob(library, "library/*")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range Names() {
		want = append(want, "library/"+name+".yaml")
	}
	slices.Sort(want)
	slices.Sort(files)
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-of Names +of the folder):\n%s", diff)
	}
}

// The examples read, and expect something of locks that exist.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		s, err := Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.File != file {
			t.Errorf("File is %q, want %q", s.File, file)
		}
		if err := s.CheckStrategies(ladder); err != nil {
			t.Error(err)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, src string) {
		if err := os.WriteFile(name, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("mine.yaml", head)
	write("mine", head)
	write("expiry", head)
	write("big.yml", strings.Repeat("#", 10*MaxSize))
	tests := []struct{ arg, file, want string }{
		{"expiry", "", ""}, // a built-in name comes before a file
		{"./expiry", "./expiry", ""},
		{"mine.yaml", "mine.yaml", ""},
		{"mine", "mine", ""},
		{"big.yml", "", "big.yml:1:1: file is larger than 1048576 bytes; is this a scenario?"},
		{"expriy", "", `no such scenario: "expriy"; did you mean "expiry"?`},
		{"", "", `no such scenario: ""; use one of ` + strings.Join(Names(), ", ")},
		{"no/such", "", "scenario: open no/such: no such file or directory"},
		{"expiry.yaml", "", "scenario: open expiry.yaml: no such file or directory"},
		{".", "", "scenario: read .: is a directory"},
	}
	for _, tt := range tests {
		s, err := Load(tt.arg)
		switch {
		case tt.want != "":
			if err == nil || err.Error() != tt.want {
				t.Errorf("Load(%q) fails with %v, want %s", tt.arg, err, tt.want)
			}
		case err != nil:
			t.Errorf("Load(%q): %v", tt.arg, err)
		case s.File != tt.file:
			t.Errorf("Load(%q) is of file %q, want %q", tt.arg, s.File, tt.file)
		}
	}
	if _, err := Load("expriy"); !errors.Is(err, ErrNoScenario) {
		t.Errorf("error %v, want ErrNoScenario", err)
	}
	if _, err := Load("no/such"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
}

// A strategy that nobody registered is an error at its place, the first of them
// in the file.
func TestCheckStrategies(t *testing.T) {
	s, err := Parse("f.yaml", []byte(head+"expect:\n  naive: {}\n  watchdogg: {}\n  abacus: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s.File = "f.yaml"
	err = s.CheckStrategies(ladder)
	if want := `f.yaml:6:3: unknown strategy "watchdogg"; did you mean "watchdog"?`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if !errors.Is(err, ErrUnknown) {
		t.Errorf("error %v, want ErrUnknown", err)
	}
	if err := s.CheckStrategies([]string{"naive", "watchdogg", "abacus"}); err != nil {
		t.Error(err)
	}
}
