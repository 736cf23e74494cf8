package chaos

// noopSpec is the smallest fault there is: copy this file to write your own. In
// a scenario it marks a moment in the history and in the timeline.
var noopSpec = Spec{
	Name:   "noop",
	Doc:    "does nothing, and leaves a mark in the history",
	Target: true,
	New:    func(Args) (Fault, error) { return noop{}, nil },
	Text:   func(Args) string { return "marks a moment of {client}" },
}

type noop struct{}

func (noop) Inject(_ World, _ string, fired func(string)) (func(), error) {
	fired("nothing was done")
	return nil, nil
}
