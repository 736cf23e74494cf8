package worker

import (
	"fmt"
	"time"
)

// Dead is the State of a process that is no more.
const Dead = "dead"

// Pid is the process's, and that of its group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Log is the end of what the process wrote to its standard error, at most 16 KiB.
func (p *Process) Log() string { return p.log.String() }

// State is the process's state as the system's letter, as "S" for asleep, "R"
// for running and "T" for stopped; or [Dead].
func (p *Process) State() string {
	select {
	case <-p.reaped:
		return Dead
	default:
	}
	state, err := stateOf(p.Pid())
	if err != nil {
		return Dead
	}
	return state
}

// Pause stops the whole process group and proves it: the proof tells the pid and
// its state T, seen after the signal. Pauses nest: each takes a [Process.Resume]
// of its own. It fails with [ErrDied], or with [ErrNotPaused] where not all
// stopped; then there is no such pause.
func (p *Process) Pause() (proof string, err error) {
	p.signals.Lock()
	defer p.signals.Unlock()
	if err := p.gone(); err != nil {
		return "", err
	}
	p.paused.Store(true)
	if err := signalGroup(p.Pid(), sigStop); err != nil {
		return "", p.notPaused(err.Error())
	}
	seen := ""
	for nap := 100 * time.Microsecond; nap < time.Second && p.gone() == nil; nap += nap / 2 {
		all, what, err := stopped(p.Pid())
		switch {
		case err != nil:
			seen = err.Error()
		case all:
			p.pauses++
			return what, nil
		default:
			seen = what
		}
		time.Sleep(nap) // the system stops thread after thread, and tells of none
	}
	return "", p.notPaused(seen)
}

// notPaused lets the group go on, unless it was paused before.
func (p *Process) notPaused(why string) error {
	if p.pauses == 0 {
		_ = signalGroup(p.Pid(), sigCont)
		p.paused.Store(false)
	}
	if err := p.gone(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrNotPaused, why)
}

// Resume undoes one pause. With the last one the group goes on. It fails with
// [ErrDied].
func (p *Process) Resume() error {
	p.signals.Lock()
	defer p.signals.Unlock()
	if err := p.gone(); err != nil {
		return err
	}
	if p.pauses = max(0, p.pauses-1); p.pauses > 0 {
		return nil
	}
	if err := signalGroup(p.Pid(), sigCont); err != nil {
		return fmt.Errorf("resuming pid %d: %w", p.Pid(), err)
	}
	p.paused.Store(false)
	return nil
}

// Kill kills the whole group, paused or not, and waits until the process is
// reaped. The proof tells the pid and the signal it died of. It fails with
// [ErrDied] where the process had ended otherwise.
func (p *Process) Kill() (proof string, err error) {
	if err := p.gone(); err != nil {
		return "", err
	}
	p.end()
	<-p.reaped
	if p.status != killedStatus {
		return "", p.death()
	}
	return fmt.Sprintf("pid %d %s", p.Pid(), p.status), nil
}

// Close ends the process: by the end of its input, or after a grace by force. It
// waits until the process, and all that read from it, are no more.
func (p *Process) Close() {
	p.closed.Do(func() {
		_ = p.in.Close()
		if !p.paused.Load() {
			grace := time.NewTimer(p.opts.Grace)
			select {
			case <-p.reaped:
			case <-grace.C:
			}
			grace.Stop()
		}
		p.end()
		close(p.closing)
	})
	p.wait.Wait()
}

// end kills the group unless it has ended already. It waits for nothing.
func (p *Process) end() {
	p.signals.Lock()
	defer p.signals.Unlock()
	if p.gone() != nil {
		return
	}
	p.killed.Store(true)
	_ = signalGroup(p.Pid(), sigKill)
	p.paused.Store(false)
}

// gone is the process's death, or nil while it lives.
func (p *Process) gone() error {
	select {
	case <-p.reaped:
		return p.death()
	default:
		return nil
	}
}
