package proc

// stat is what the system reports of a process or a thread.
type stat struct {
	state string // one letter; see [Child.State]
	group int
	born  string // when the process started, in a unit of the system's; may be empty
}

// dead reports whether a process is a zombie, or about to be one.
func (s stat) dead() bool { return s.state == "Z" || s.state == "X" }

// thread is a thread of a process that has not ended.
type thread struct {
	pid, id int
	stat
}
