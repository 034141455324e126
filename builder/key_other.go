//go:build !unix

package builder

import "io/fs"

// openToAll cannot be told from the mode of a file on this system.
func openToAll(fs.FileInfo) bool { return false }
