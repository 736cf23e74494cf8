//go:build unix && !linux

package redisserver

import "syscall"

// bound: outliving us is prevented by the janitor alone.
func bound() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
