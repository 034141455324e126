//go:build !unix

package builder

import "io/fs"

// openToAll always returns false: file modes do not show it on this system.
func openToAll(fs.FileInfo) bool { return false }
