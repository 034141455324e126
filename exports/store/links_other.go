//go:build !unix

package store

import "io/fs"

// noFollow is 0 because this system has no such flag.
const noFollow = 0

// linkCount returns 1 because the number of hard links is not available.
func linkCount(fs.FileInfo) uint64 { return 1 }
