package redisserver

import "syscall"

// bound ends a child with the thread that started it.
func bound() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
