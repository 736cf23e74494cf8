//go:build !unix

package proc

import "syscall"

// The signals that do not exist here; signalGroup rejects them.
const (
	sigStop syscall.Signal = -1
	sigCont syscall.Signal = -1
)

func attributes(sharesGroup bool) (*syscall.SysProcAttr, error) {
	if !sharesGroup {
		return nil, ErrUnsupported
	}
	return nil, nil
}

func ownSession() *syscall.SysProcAttr { return nil }

func signalGroup(int, syscall.Signal) error { return ErrUnsupported }

func statOf(int) (stat, error) { return stat{}, ErrUnsupported }

func threadsOf(int) ([]thread, error) { return nil, ErrUnsupported }
