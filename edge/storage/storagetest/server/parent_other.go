//go:build !linux

package server

import "syscall"

// diesWithParent does nothing because this system has no such feature.
func diesWithParent(*syscall.SysProcAttr) {}
