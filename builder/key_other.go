//go:build !unix

package builder

import "io/fs"

// openToAll always returns false: on this system, file modes do not show who may read a file.
func openToAll(fs.FileInfo) bool { return false }
