//go:build !unix

package storage

// checkPrivate does nothing because file modes do not restrict reading on this system.
func checkPrivate(database string) error { return nil }

// chownLike does nothing because files do not have such owners on this system.
func chownLike(lock, database string) error { return nil }
