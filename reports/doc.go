// Package reports turns recorded results into what people and machines read: a
// terminal table, results.json, report.html, PNG charts, junit.xml and
// trace.json.
//
// Goals: everything is drawn from results and histories alone, so that an old
// run can be drawn again; the same results give the same bytes; a file is
// either written whole or not at all; report.html needs no network.
// Non-goals: running anything (package sim), judging (package check).
//
// [WriteAll] writes every file of a result folder. [Terminal], [WriteResults],
// [ReadResults], [HTML], [JUnit], [Trace] and the PNG functions each do one.
package reports

// ReportFile is the name of the HTML report in its folder.
const ReportFile = "report.html"
