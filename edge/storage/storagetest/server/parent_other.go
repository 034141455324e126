//go:build !linux

package server

import "syscall"

// diesWithParent does nothing on systems without such a signal.
func diesWithParent(*syscall.SysProcAttr) {}
