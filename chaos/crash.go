package chaos

// crashSpec kills a client's process as SIGKILL or a power cut does.
var crashSpec = Spec{
	Name:   "crash",
	Doc:    "kills a client, never to return",
	Target: true,
	New:    func(Args) (Fault, error) { return crash{}, nil },
	Text:   func(Args) string { return "kills the process of {client} for good" },
}

type crash struct{}

func (crash) Inject(w World, client string, fired func(string)) (func(), error) {
	return once(fired)(w.Crash(client))
}
