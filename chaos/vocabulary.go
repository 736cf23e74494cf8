package chaos

import "slices"

// vocabulary lists every fault, in the order of help texts.
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

// Lookup finds a fault by its name.
func Lookup(name string) (*Spec, bool) {
	i := slices.IndexFunc(vocabulary, func(s *Spec) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return vocabulary[i], true
}
