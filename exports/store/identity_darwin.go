package store

import (
	"io/fs"
	"syscall"
)

func identityOf(info fs.FileInfo) (Identity, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}, false
	}
	return Identity{Device: uint64(s.Dev), Inode: s.Ino, Size: s.Size, Modified: s.Mtimespec.Nano(), Changed: s.Ctimespec.Nano()}, true
}
