//go:build !unix

package redisserver

import (
	"os"
	"syscall"
)

func bound() *syscall.SysProcAttr { return nil }

// killGroup ends a child. An error is that it has ended.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// statusOf says how a child ended.
func statusOf(s *os.ProcessState) string { return s.String() }
