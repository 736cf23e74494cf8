package chaos

// resetSpec cuts connections, as a proxy does that restarts. The client can dial
// again at once.
var resetSpec = Spec{
	Name:   "reset",
	Doc:    "cuts a client's connections to Redis with a TCP reset",
	Target: true,
	New:    func(Args) (Fault, error) { return reset{}, nil },
	Text:   func(Args) string { return "resets the connections of {client} to Redis" },
}

type reset struct{}

func (reset) Inject(w World, client string, fired func(string)) (func(), error) {
	return once(fired)(w.Reset(client))
}
