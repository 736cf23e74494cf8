//go:build unix

package redisd

import "syscall"

// killGroup ends all of a child's group. An error is that nobody is left in it.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
