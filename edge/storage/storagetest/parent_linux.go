package storagetest

import "syscall"

// diesWithParent makes the kernel end the server when the test binary dies.
func diesWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
