//go:build unix

package builder

import "io/fs"

// readableByOthers reports whether every user of the machine may read or change a file.
func readableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o007 != 0 }
