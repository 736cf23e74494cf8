package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/lockchaos/simrun/internal/text"
)

// textWidth is where Explain wraps lines, in characters.
const textWidth = 80

// Explain describes a scenario for people: what happens, where it happened in
// reality, its numbers, and what is expected of each lock. Its lines end in \n.
func Explain(s *Scenario) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", wrap(s.Name+": "+s.Summary, ""))
	if s.Story != "" {
		fmt.Fprintf(&b, "\nWhat happens\n%s\n", wrap(s.Story, "  "))
	}
	if s.Source != "" {
		fmt.Fprintf(&b, "\nSource\n%s\n", wrap(s.Source, "  "))
	}
	b.WriteString("\nFaults\n")
	if len(s.Faults) == 0 {
		b.WriteString("  none\n")
	}
	for i, p := range s.Faults {
		number := fmt.Sprintf("  %d. ", i+1)
		lines := wrap(sentence(p.Text), strings.Repeat(" ", len(number)))
		fmt.Fprintf(&b, "%s%s\n", number, lines[len(number):])
	}
	b.WriteString("\nParameters\n")
	b.WriteString(parameterTable(s))
	if len(s.Expect) > 0 {
		b.WriteString("\nExpected\n")
		b.WriteString(expectTable(s))
		b.WriteString("\n  every: in each run, some: in at least one, none: in no run\n")
	}
	return b.String()
}

func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

func parameterTable(s *Scenario) string {
	d := text.Duration
	rows := [][2]string{
		{"clients", fmt.Sprintf("%d, %s each", s.Clients, text.Count(s.Sections, "section"))},
		{"lease", fmt.Sprintf("%s, renewed every %s, at most %d times if capped", d(s.Lease), d(s.Renew), s.Cap)},
		{"work", s.Work.String() + " inside, then one write"},
		{"think", s.Think.String() + " between sections"},
		{"wait", d(s.Wait) + " at most for the lock, then retries"},
		{"rollback", s.Rollback.String() + " inside after a lease was lost"},
		{"network", s.Network.String() + " per message, each direction"},
		{"write-timeout", d(s.WriteTimeout)},
		{"stock", fmt.Sprint(s.Stock)},
	}
	for _, name := range slices.Sorted(maps.Keys(s.Bounds)) {
		rows = append(rows, [2]string{"bound of " + name, d(s.Bounds[name])})
	}
	rows = append(rows, [2]string{"evidence", fmt.Sprintf("at least %d sections per run are required", s.MinSections)})
	return table(func(w *tabwriter.Writer) {
		for _, row := range rows {
			fmt.Fprintf(w, "  %s\t%s\n", row[0], row[1])
		}
	})
}

// expectTable has a row for each strategy, and a column for each property that is
// expected of any of them.
func expectTable(s *Scenario) string {
	asked := slices.DeleteFunc(Properties(), func(property string) bool {
		for _, expected := range s.Expect {
			if _, ok := expected[property]; ok {
				return false
			}
		}
		return true
	})
	return table(func(w *tabwriter.Writer) {
		fmt.Fprintf(w, "  strategy\t%s\n", strings.Join(asked, "\t"))
		for _, strategy := range s.Strategies() {
			cells := make([]string, len(asked))
			for i, property := range asked {
				cells[i] = string(s.Expect[strategy][property])
			}
			fmt.Fprintf(w, "  %s\t%s\n", strategy, strings.Join(cells, "\t"))
		}
	})
}

// table aligns the columns that fill writes, without trailing spaces.
func table(fill func(*tabwriter.Writer)) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fill(w)
	w.Flush() // a strings.Builder does not fail
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// wrap breaks text into lines that begin with indent.
func wrap(text, indent string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(indent+line+" "+word) > textWidth {
			lines, line = append(lines, indent+line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, indent+line), "\n")
}
