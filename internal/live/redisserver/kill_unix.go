//go:build unix

package redisserver

import (
	"fmt"
	"os"
	"syscall"
)

// killGroup ends all of a child's group. An error is that nobody is left in it.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// statusOf says how a child ended.
func statusOf(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return fmt.Sprintf("killed by signal %d", int(w.Signal()))
	}
	return s.String()
}
