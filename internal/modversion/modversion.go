// Package modversion reports the versions of the modules that this program was built
// with. Goals: reports can name what they were made with. Non-goals: anything else.
package modversion

import (
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
