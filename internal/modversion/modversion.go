// Package modversion tells the versions of the modules that this program was built
// with. Goals: reports name what they were made with. Non-goals: anything else.
package modversion

import (
	"runtime/debug"
	"strings"
)

// Version is that of a module, without its "v"; "of unknown version" where the
// program does not tell.
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
