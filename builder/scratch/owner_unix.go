//go:build unix

package scratch

import (
	"os"
	"syscall"
)

// isOurs reports whether a folder belongs to the user who runs the program, and only that user can
// write to it. Others can make folders with any name in the system's folder for temporary files.
func isOurs(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
