package server

import "syscall"

// diesWithParent ends the server when the test binary is killed.
func diesWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
