package reports

// ReportFile is the name of the HTML report in its folder.
const ReportFile = "report.html"
