package chaos

import (
	"time"

	"github.com/lockchaos/simrun/internal/text"
)

// clockJumpSpec steps Redis's clock, as an administrator or NTP does. Redis
// counts expiry in wall-clock time, so a jump forward ends leases early and a
// jump back makes them live longer (redis#416).
var clockJumpSpec = Spec{
	Name: "clock-jump",
	Doc:  "steps Redis's clock forward or back",
	Params: []Param{
		{Name: "by", Kind: KindDuration, Required: true, Signed: true, Doc: "how far the clock steps, such as +31s or -60s"},
	},
	New: func(a Args) (Fault, error) {
		by := a.Durations["by"]
		if by == 0 {
			return nil, &ParamError{Param: "by", Msg: "must not be 0s: the clock would not move"}
		}
		return clockJump{by}, nil
	},
	Text: func(a Args) string {
		if by := a.Durations["by"]; by < 0 {
			return "sets Redis's clock back by " + text.Duration(-by)
		}
		return "sets Redis's clock forward by " + text.Duration(a.Durations["by"])
	},
}

type clockJump struct{ by time.Duration }

func (f clockJump) Inject(w World, _ string, fired func(string)) (func(), error) {
	return once(fired)(w.JumpClock(f.by))
}
