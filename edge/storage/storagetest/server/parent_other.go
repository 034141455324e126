//go:build !linux

package server

import "syscall"

// diesWithParent does nothing where the system has no such thing.
func diesWithParent(*syscall.SysProcAttr) {}
