package chaos

// hangSpec blocks the work inside the section and nothing else: the lock's
// renewals go on, as they do for a thread that waits on a dead disk.
var hangSpec = Spec{
	Name:   "hang",
	Doc:    "stops a client's section only: its renewals go on, it hears nothing",
	Target: true,
	Lasts:  true,
	New:    func(Args) (Fault, error) { return hang{}, nil },
	Text:   func(Args) string { return "hangs the section of {client}, deaf to everything," },
}

type hang struct{}

func (hang) Inject(w World, client string, fired func(string)) (func(), error) {
	return lasting(fired)(w.Hang(client))
}
