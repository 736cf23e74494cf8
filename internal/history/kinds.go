package history

import "slices"

// kinds holds every kind there is, in the order of their declaration.
var kinds = []Kind{
	Waiting, Acquired, Refused, Entered, Read, Checked, Wrote, Rejected, Unanswered, SoldOut,
	Noticed, Aborted, Left, Releasing, Released, Crashed, Done,
	Command, Locked, Renewed, Unlocked, Expired,
	Fired, Over, Unfired, Finding, Residue, End,
}

// byName finds a kind by the bytes of a line without a new string.
var byName = func() map[string]Kind {
	m := make(map[string]Kind, len(kinds))
	for _, k := range kinds {
		m[string(k)] = k
	}
	return m
}()

// Kinds lists every kind of event: those of a client, of Redis, of the harness.
func Kinds() []Kind { return slices.Clone(kinds) }
