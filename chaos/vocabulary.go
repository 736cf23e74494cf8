package chaos

import "slices"

// vocabulary is every fault there is, one line each, in the order in which
// help texts list them.
var vocabulary = []*Spec{
	&pauseSpec,
	&hangSpec,
	&crashSpec,
	&partitionSpec,
	&toxicSpec,
	&resetSpec,
	&replyLostSpec,
	&delayedWriteSpec,
	&clockJumpSpec,
	&clockRateSpec,
	&redisRestartSpec,
	&failoverSpec,
	&noopSpec,
}

// Specs lists every fault.
func Specs() []*Spec { return slices.Clone(vocabulary) }

// Lookup finds a fault by the name that users type.
func Lookup(name string) (*Spec, bool) {
	i := slices.IndexFunc(vocabulary, func(s *Spec) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return vocabulary[i], true
}
