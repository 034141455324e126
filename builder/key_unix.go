//go:build unix

package builder

import "io/fs"

// openToAll reports whether every user of the machine may read or change a file.
func openToAll(info fs.FileInfo) bool { return info.Mode().Perm()&0o007 != 0 }
