package reports

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/lockchaos/simrun/internal/results"
)

var (
	//go:embed assets/report.tmpl
	reportTemplate string
	//go:embed assets/report.css
	reportStyle string
	//go:embed assets/timeline.js
	timelineScript string
	//go:embed assets/draw.js
	drawScript string
	//go:embed assets/report.js
	reportScript string
)

var reportPage = template.Must(template.New("report").Parse(reportTemplate))

// HTML writes report.html: one file that needs no network and no server. The
// histories that r names are read relative to dir.
func HTML(w io.Writer, dir string, r results.Results) error {
	f, err := load(dir, r)
	if err != nil {
		return err
	}
	return writeHTML(w, r, f)
}

func writeHTML(w io.Writer, r results.Results, f folder) error {
	p := newPage(r, f)
	p.Style = template.CSS(reportStyle)
	p.Script = template.JS(timelineScript + drawScript + reportScript)
	return reportPage.Execute(w, p)
}
