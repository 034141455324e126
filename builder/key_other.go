//go:build !unix

package builder

import "io/fs"

// readableByOthers always returns false: on this system, file modes do not show who may read a file.
func readableByOthers(fs.FileInfo) bool { return false }
