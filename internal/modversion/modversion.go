// Package modversion reports the versions of the modules that this program was built
// with. Goals: reports can name what they were made with. Non-goals: anything else.
package modversion

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Version returns a module's version without its "v", or "of unknown version" if the
// program has no build information.
func Version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return strings.TrimPrefix(dep.Version, "v")
			}
		}
	}
	return "of unknown version"
}

// Main returns this program's own version: its module's and, if it was built from a
// checkout, the commit.
func Main() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	v := cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += ", commit " + s.Value[:min(len(s.Value), 12)]
		}
	}
	return v
}
