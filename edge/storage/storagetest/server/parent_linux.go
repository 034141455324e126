package server

import "syscall"

// diesWithParent ends the server where the test binary is killed.
func diesWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
