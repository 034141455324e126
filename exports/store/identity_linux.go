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
	//nolint:unconvert // the types differ between platforms
	return Identity{Device: uint64(s.Dev), Inode: uint64(s.Ino), Size: s.Size, Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano()}, true
}
