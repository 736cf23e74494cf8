package main

import (
	_ "embed"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/lockchaos/simrun/internal/check"
)

//go:embed mutants.yaml
var listed []byte

// allMutants are those of mutants.yaml, and for each property one in which its
// checker sees nothing.
func allMutants() ([]mutant, error) {
	out := checkersOff()
	var more []mutant
	err := yaml.UnmarshalWithOptions(listed, &more, yaml.Strict())
	return append(out, more...), err
}

// checkersOff lets one property after the other see nothing.
func checkersOff() []mutant {
	var out []mutant
	for _, p := range check.Properties {
		first, rest, _ := strings.Cut(p.Name, "-")
		for word := range strings.SplitSeq(rest, "-") {
			if word != "" {
				first += strings.ToUpper(word[:1]) + word[1:]
			}
		}
		out = append(out, mutant{
			Name: "check: " + p.Name + " is switched off",
			File: "internal/check/judge.go",
			Old:  "\t" + first + "Property,\n",
			New:  "\toff(" + first + "Property),\n",
			extra: `
func off(p Property) Property {
	p.watch = func(breaches) checker { return &breaches{} }
	return p
}

func (*breaches) event(*history.Event) {}
`,
			Tests: []string{"./internal/check ."},
		})
	}
	return out
}
