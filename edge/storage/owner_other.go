//go:build !unix

package storage

// checkPrivate does nothing where modes of files do not say who may read them.
func checkPrivate(database string) error { return nil }

// likeDatabase does nothing where files have no such owners.
func likeDatabase(lock, database string) error { return nil }
