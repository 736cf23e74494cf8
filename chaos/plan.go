package chaos

import (
	"slices"
)

// trigger is a kind of event that can set off a fault, and the words for it, in
// which {client} stands for whoever caused the event.
type trigger struct{ word, text string }

// triggers are the words that `on:` may use: the kinds of event in a history that
// a client causes, or that happen to its key.
var triggers = []trigger{
	{"waiting", "{client} began to wait for the lock"},
	{"acquired", "an acquire by {client} succeeded"},
	{"entered", "{client} entered"},
	{"read", "{client} read the resource"},
	{"checked", "{client} checked for the last time that it holds the lock"},
	{"wrote", "the resource accepted a write from {client}"},
	{"releasing", "{client} began to release"},
	{"released", "{client} released"},
	{"crashed", "{client} crashed"},
	{"locked", "Redis gave the lock to {client}"},
	{"renewed", "Redis renewed the lock for {client}"},
	{"unlocked", "{client} removed the lock's key"},
	{"expired", "the lock ran out on {client}"},
	{"command", "a command from {client} reached Redis"},
}

// Triggers lists the words that `on:` may use.
func Triggers() []string {
	words := make([]string, len(triggers))
	for i, t := range triggers {
		words[i] = t.word
	}
	return words
}

func triggerText(word string) string {
	i := slices.IndexFunc(triggers, func(t trigger) bool { return t.word == word })
	if i < 0 {
		return word
	}
	return triggers[i].text
}

// Plan is a fault and when it fires.
type Plan struct {
	ID    string // "1:pause": its place in the scenario and its name
	Spec  *Spec
	Fault Fault
	// Client is who is hit. "any": whoever caused the event that set the fault
	// off, or a client drawn from the seed where the fault has a time. "all":
	// every client, whoever caused the event. A client's name ("A"): that
	// client, and only its events count. Empty for a fault of the server, for
	// which everybody's events count.
	Client string
	At     *Range // fires at this time …
	On     string // … or on an event of this kind
	After  Range  // … this long after it
	Nth    int    // only the nth such event (0: the first, unless Every)
	Every  int    // every such event of this count
	For    Range  // how long a lasting fault lasts
	Text   string // the fault in one sentence
}
