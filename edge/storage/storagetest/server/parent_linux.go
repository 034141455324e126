package server

import "syscall"

// diesWithParent stops the server if the test binary is killed.
func diesWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
