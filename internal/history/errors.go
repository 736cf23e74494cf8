package history

import "fmt"

// Problem is a reason for which a history is not accepted. The exported Err
// values are the problems there are; errors.Is tells them apart in the errors
// of [Reader] and [ReadFile].
type Problem struct{ what, remedy string }

// Error says what is wrong, without the place.
func (p *Problem) Error() string { return p.what }

// The problems of a history.
var (
	// ErrEmpty: there is nothing in the file.
	ErrEmpty = &Problem{"empty history", "record the run again"}
	// ErrNoHeader: the first line is not a header.
	ErrNoHeader = &Problem{"the first line is not a header", "give a history.jsonl as simrun writes it, from its first line"}
	// ErrHeader: the header's values cannot be.
	ErrHeader = &Problem{"bad header", "record the run again"}
	// ErrVersion: another version of the format.
	ErrVersion = &Problem{"unknown version of the format", "read it with the simrun that wrote it, or record the run again"}
	// ErrSyntax: a line is not one JSON object of the fields' types.
	ErrSyntax = &Problem{"not an event", "each line must be one JSON object as simrun writes it"}
	// ErrUnknownKey: a key that no event and no header has.
	ErrUnknownKey = &Problem{"unknown key", "remove it, or read the file with the simrun that wrote it"}
	// ErrUnknownKind: a kind of event that is not in [Kinds].
	ErrUnknownKind = &Problem{"unknown kind of event", "correct it, or read the file with the simrun that wrote it"}
	// ErrOrder: n does not count up by one, t goes back, or a line follows the end.
	ErrOrder = &Problem{"event out of order", "a history must be kept whole and in the order it was written"}
	// ErrTooLong: a line of more than [MaxLine] bytes.
	ErrTooLong = &Problem{"line longer than 1 MiB", "no event is that long: is this a history?"}
	// ErrTruncated: the file stops before the run's end event. What was read
	// until then is sound, but proves nothing by what is absent from it.
	ErrTruncated = &Problem{"history stops before its end event", "the run was cut short: record it again"}
)

// at gives a problem its place and its detail.
func (p *Problem) at(name string, line int, detail string) error {
	if detail != "" {
		detail = " (" + detail + ")"
	}
	return fmt.Errorf("%s:%d: %w%s; %s", name, line, p, detail, p.remedy)
}
