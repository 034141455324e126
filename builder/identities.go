package builder

import (
	"bytes"
	"crypto/hmac"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"kindex/exports/store"
	"kindex/indexes"
)

// identities holds the identities that the files of a build had when it was published, so that the
// next build on this machine need not read all of them again. The cache that stores them is sealed with
// the builder's key, because the next build trusts the SHA-256 of a file whose identity is unchanged.
type identities struct {
	build, index store.Identities
	caches       store.Identities // of the other caches, which are not sealed themselves

	sources []byte // the cache of source files, or nil
}

// The name and the first line of the cache of identities. One line for each file follows, and then a
// line with the authentication code of all lines before it and of the build's manifest.
const identitiesCache, identitiesHead = "identities", "kindex identities 1\n"

// maxIdentities is the maximum length of the cache in bytes, which is about that of two manifests.
const maxIdentities = 128 << 20

// parts names the folders in the cache.
func (i *identities) parts() map[string]*store.Identities {
	return map[string]*store.Identities{"build": &i.build, "index": &i.index, "cache": &i.caches}
}

// readIdentities returns the identities of the files of a build with this manifest. They are empty if
// this key has not sealed any.
func (k *Key) readIdentities(out, id string, manifest []byte) *identities {
	found := &identities{build: store.Identities{}, index: store.Identities{}, caches: store.Identities{}}
	data, _, err := store.ReadCache(out, id, identitiesCache, maxIdentities)
	if k == nil || err != nil {
		return found
	}
	end := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n') + 1
	list, ok := strings.CutPrefix(string(data[:end]), identitiesHead)
	if !ok || !hmac.Equal(data[end:], []byte(k.code(identitiesCache, id, append(data[:end:end], manifest...)))) {
		return found
	}
	parts := found.parts()
	for line := range strings.Lines(list) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3) // the folder, the path, and the identity
		if len(fields) != 3 || parts[fields[0]] == nil {
			return &identities{}
		}
		if (*parts[fields[0]])[fields[1]], err = store.ParseIdentity(fields[2]); err != nil {
			return &identities{}
		}
	}
	return found
}

// Known returns the identities of the files of a build and its index in an output folder, if this key
// has sealed them.
func (k *Key) Known(out, id string) (build, index store.Identities) {
	manifest, _, err := store.ManifestBytes(filepath.Join(store.BuildsDir(out), id))
	if err != nil {
		return nil, nil
	}
	sealed, indexSealed := k.sealed(out, id, manifest)
	if !sealed {
		return nil, nil
	}
	i := k.readIdentities(out, id, manifest)
	if build = i.build; indexSealed {
		index = i.index
	}
	return build, index
}

// writeIdentities records the identities of the files of a build that has just been written. They must
// not change afterwards, not even their number of hard links.
func (k *Key) writeIdentities(out, id string) (err error) {
	dir := filepath.Join(store.BuildsDir(out), id)
	manifest, _, err := store.ManifestBytes(dir)
	if err != nil {
		return err
	}
	var now identities
	var errs [3]error
	now.build, errs[0] = store.ReadIdentities(dir)
	now.index, errs[1] = store.ReadIdentities(indexes.Dir(out, id))
	now.caches, errs[2] = store.CacheIdentities(out, id)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	delete(now.caches, identitiesCache)
	data := []byte(identitiesHead)
	for part, files := range now.parts() {
		for name, identity := range *files {
			data = fmt.Appendf(data, "%s %s %s\n", part, name, identity)
		}
	}
	return store.WriteCache(out, id, identitiesCache, append(data, k.code(identitiesCache, id, append(data[:len(data):len(data)], manifest...))...))
}
