package chaos

// pauseSpec stops a client's process as SIGSTOP, a stop-the-world garbage
// collection or a suspended laptop does (Kleppmann 2016, "How to do distributed
// locking"). The client's timers keep running: see "Not simulated" in the README.
var pauseSpec = Spec{
	Name:         "pause",
	Doc:          "stops the whole process of a client: its network and its section",
	Target:       true,
	Lasts:        true,
	StopsProcess: true,
	New:          func(Args) (Fault, error) { return pause{}, nil },
	Text:         func(Args) string { return "stops the whole process of {client}" },
}

type pause struct{}

func (pause) Inject(w World, client string, fired func(string)) (func(), error) {
	return lasting(fired)(w.Pause(client))
}
