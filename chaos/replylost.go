package chaos

// replyLostSpec makes a retry unsafe: Redis has executed the command, the client
// cannot know, and its library sends it again (go-redis#2985).
var replyLostSpec = Spec{
	Name:   "reply-lost",
	Doc:    "drops Redis's next reply to a client and resets that connection",
	Target: true,
	New:    func(Args) (Fault, error) { return replyLost{}, nil },
	Text: func(Args) string {
		return "loses Redis's next reply to {client} and resets that connection"
	},
}

type replyLost struct{}

func (replyLost) Inject(w World, client string, fired func(string)) (func(), error) {
	return nil, w.LoseReply(client, fired)
}
