package chaos

import "strconv"

// maxClockRate is beyond what a broken clock does, and keeps the arithmetic of the
// world from overflowing.
const maxClockRate = 1000

// clockRateSpec lets Redis's clock drift against the clients' clocks.
var clockRateSpec = Spec{
	Name:  "clock-rate",
	Doc:   "lets Redis's clock run faster or slower than real time",
	Lasts: true,
	Params: []Param{
		{Name: "rate", Kind: KindNumber, Required: true, Doc: "seconds of Redis's clock a real second, such as 1.1"},
	},
	New: func(a Args) (Fault, error) {
		rate := a.Numbers["rate"]
		switch {
		case !(rate > 0 && rate <= maxClockRate): // a NaN fails both
			return nil, &ParamError{Param: "rate", Msg: "must be above 0 and at most " + strconv.Itoa(maxClockRate)}
		case rate == 1:
			return nil, &ParamError{Param: "rate", Msg: "must not be 1: the clock would run as it does"}
		}
		return clockRate{rate}, nil
	},
	Text: func(a Args) string {
		return "lets Redis's clock run at " + strconv.FormatFloat(a.Numbers["rate"], 'g', -1, 64) + " times real speed"
	},
}

type clockRate struct{ rate float64 }

func (f clockRate) Inject(w World, _ string, fired func(string)) (func(), error) {
	return lasting(fired)(w.SetClockRate(f.rate))
}
