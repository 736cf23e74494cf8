package cli_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/cli"
)

// Every line of output that the README shows for a simrun command is printed by
// that command, in that order.
func TestReadmeShowsRealOutput(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, block := range strings.Split(string(readme), "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		command, output, _ := strings.Cut(block, "\n")
		args, ours := strings.CutPrefix(command, "$ go run ./cmd/simrun ")
		want := strings.Split(strings.TrimSpace(output), "\n")
		if !ours || strings.HasPrefix(want[0], "$") || want[0] == "" {
			continue
		}
		shown++
		t.Run(args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := cli.Main(append(strings.Fields(args), "-q", "-out", t.TempDir()), &stdout, &stderr)
			if code != cli.ExitPass {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			rest := stdout.String()
			for _, line := range want {
				_, after, found := strings.Cut(rest, line)
				if !found {
					t.Fatalf("the README shows\n%s\nwhich does not follow in\n%s", line, stdout.String())
				}
				rest = after
			}
		})
	}
	if shown < 2 {
		t.Errorf("found %d commands with output in the README, want at least 2", shown)
	}
}
