package chaos

// redisRestartSpec takes the Redis server down and brings it back. Without its data
// (no persistence, or none since the last save) it has forgotten who holds a lock:
// "amnesia". Connections, subscriptions and loaded scripts are lost
// in any case (Redis documentation, "Redis persistence"; Redlock, "Performance,
// crash recovery and fsync").
var redisRestartSpec = Spec{
	Name:  "redis-restart",
	Doc:   "takes Redis down and starts it again, with its data or without",
	Lasts: true,
	Params: []Param{
		{Name: "data", Kind: KindWord, Required: true, OneOf: []string{"kept", "lost"},
			Doc: "kept: it comes back with its keys, minus those that expired in the meantime; lost: it comes back empty"},
	},
	New: func(a Args) (Fault, error) { return redisRestart{keep: a.Words["data"] == "kept"}, nil },
	Text: func(a Args) string {
		if a.Words["data"] == "kept" {
			return "restarts Redis, which keeps its data and refuses everybody"
		}
		return "restarts Redis, which loses its data and refuses everybody"
	},
}

type redisRestart struct{ keep bool }

func (f redisRestart) Inject(w World, _ string, fired func(string)) (func(), error) {
	return lasting(fired)(w.Restart(f.keep))
}
