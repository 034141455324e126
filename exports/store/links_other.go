//go:build !unix

package store

import "io/fs"

// noFollow is nothing where the system has no such flag.
const noFollow = 0

// linkCount is how many names a file has; here that is not known.
func linkCount(fs.FileInfo) uint64 { return 1 }
