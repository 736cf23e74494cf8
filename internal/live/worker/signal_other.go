//go:build !unix

package worker

import (
	"os"
	"os/exec"
)

type sig int

const (
	sigStop sig = iota
	sigCont
	sigKill

	killedStatus = "killed"
)

func ownGroup(*exec.Cmd) error { return ErrUnsupported }

func signalGroup(int, sig) error { return ErrUnsupported }

func statusOf(s *os.ProcessState) string { return s.String() }

func stateOf(int) (string, error) { return "", ErrUnsupported }

func stopped(int) (all bool, what string, err error) { return false, "", ErrUnsupported }

func peopled(int) bool { return false }
