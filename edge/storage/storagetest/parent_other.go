//go:build !linux

package storagetest

import "syscall"

// diesWithParent does nothing on systems without such a signal.
func diesWithParent(*syscall.SysProcAttr) {}
