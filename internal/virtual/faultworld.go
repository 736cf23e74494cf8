package virtual

import (
	"fmt"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/engine"
)

// faultWorld is the face of a world that faults act on.
type faultWorld struct{ w *world }

var _ chaos.World = faultWorld{}

func (f faultWorld) client(name string) (*process, error) {
	return engine.Living(f.w.clients, name)
}

// Pause stops the client's network and its section. What its lock does without
// either goes on: see "Not simulated" in the README.
func (f faultWorld) Pause(client string) (func(), string, error) {
	p, err := f.client(client)
	if err != nil {
		return nil, "", err
	}
	p.Stop.Stop()
	return p.Stop.Open, "process stopped: takes and sends nothing", nil
}

// Hang stops the client's section. Its lock's renewals go on.
func (f faultWorld) Hang(client string) (func(), string, error) {
	p, err := f.client(client)
	if err != nil {
		return nil, "", err
	}
	p.Hang.Stop()
	return p.Hang.Open, "section hangs; renewals go on", nil
}

// Crash kills the client.
func (f faultWorld) Crash(client string) (string, error) {
	p, err := f.client(client)
	if err != nil {
		return "", err
	}
	f.w.crash(p)
	return "process dead, its connections closed", nil
}

// AddToxic puts a toxic on the client's connections to Redis.
func (f faultWorld) AddToxic(client string, t chaos.Toxic) (func(), string, error) {
	p, err := f.client(client)
	if err != nil {
		return nil, "", err
	}
	remove, hit, err := p.toxics.add(t)
	if err != nil {
		return nil, "", err
	}
	return remove, fmt.Sprintf("toxic %s %s on %d connections and all new ones", t.Type, t.Stream, hit), nil
}

// Reset cuts the client's connections to Redis.
func (f faultWorld) Reset(client string) (string, error) {
	p, err := f.client(client)
	if err != nil {
		return "", err
	}
	n := p.reset()
	if n == 0 {
		return "", fmt.Errorf("client %s: no open connection to reset", client)
	}
	return fmt.Sprintf("%d connections reset", n), nil
}

// LoseReply drops the next reply to the client and resets its connection.
func (f faultWorld) LoseReply(client string, fired func(string)) error {
	if _, err := f.client(client); err != nil {
		return err
	}
	return f.w.redis.loseReply(client, fired)
}

// DelayWrite holds up the client's next write to the resource.
func (f faultWorld) DelayWrite(client string, d time.Duration, fired func(string)) error {
	if _, err := f.client(client); err != nil {
		return err
	}
	f.w.resource.DelayWrite(client, d, fired)
	return nil
}

// JumpClock steps Redis's clock.
func (f faultWorld) JumpClock(d time.Duration) (string, error) {
	f.w.redis.jump(d)
	return fmt.Sprintf("Redis's clock stepped by %v", d), nil
}

// SetClockRate changes the speed of Redis's clock.
func (f faultWorld) SetClockRate(rate float64) (func(), string, error) {
	return f.w.redis.rates.Set(rate, f.w.redis.setRate), fmt.Sprintf("Redis's clock runs at %g of real speed", rate), nil
}
