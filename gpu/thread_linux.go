package gpu

import "syscall"

// threadID tells the threads of the operating system apart.
func threadID() int { return syscall.Gettid() }
