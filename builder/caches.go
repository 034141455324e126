package builder

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git's names of blobs
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"kindex/builder/neighbors"
	"kindex/exports/store"
)

// writeCaches writes what the next build needs in order to read only what has changed. It reports errors
// as warnings, because that build also works without the caches.
func (b *build) writeCaches(context.Context) error {
	if b.Key == nil {
		return nil
	}
	err := errors.Join(store.RemoveLeftovers(b.Out, "exports", "caches", b.manifest.ID), b.writeSources(),
		store.WriteCache(b.Out, b.manifest.ID, featuresCache, b.sets.Bytes()))
	if b.writeIdentities(); err != nil {
		b.cacheFailed(err)
	}
	return nil
}

// writeIdentities records the identities of the files of the build and of its caches.
func (b *build) writeIdentities() {
	if b.Key == nil {
		return
	}
	if err := b.Key.writeIdentities(b.Out, b.manifest.ID); err != nil {
		b.cacheFailed(err)
	}
}

func (b *build) cacheFailed(err error) {
	b.report.Warnings = append(b.report.Warnings, "warning: the next build will take longer: "+err.Error())
}

// sourcesCache describes the entities and their files, in the order of their ordinals, in sourceSize
// bytes each: the identity of the file, its git blob name, and whether the entity is the same as its newest
// version in the history. The next build then reads only files that have changed. The first two are zero
// if the file must be read again.
const (
	sourcesCache = "sources.bin"
	identitySize = 5 * 8
	sourceSize   = identitySize + sha1.Size + 1
)

// featuresCache has the features by which each entity is compared with others; see neighbors.Sets.
const featuresCache = "features.bin"

// maxFeatures is the maximum length of the cache in bytes: enough for ten million entities with many
// features each.
const maxFeatures = 8 << 30

// readFeatures reads the cache of features of the previous build. It returns nil if the cache is missing
// or has changed since it was written.
func (b *build) readFeatures() *neighbors.Sets {
	data := b.asBuilt.readCache(b.Out, b.previous.Manifest.ID, featuresCache, maxFeatures)
	if data == nil {
		return nil
	}
	return neighbors.ReadSets(data, b.previous.Len(), b.previous.Features())
}

// readCache reads a cache of a build. It returns nil if the cache is missing or has changed since it was
// written.
func (i *identities) readCache(out, id, name string, maxLen int64) []byte {
	data, is, err := store.ReadCache(out, id, name, maxLen)
	if err != nil || is == (store.Identity{}) || is != i.caches[name] {
		return nil
	}
	return data
}

// maxSources is the maximum length of the cache in bytes: enough for a hundred million entities.
const maxSources = 100_000_000 * sourceSize

// writeSources writes the cache of entities and their files.
func (b *build) writeSources() error {
	c := b.content
	data := make([]byte, 0, sourceSize*len(c.Entities))
	for i, e := range c.Entities {
		if identity := c.Identities[i]; identity == (store.Identity{}) || c.Sums[i] == [sha256.Size]byte{} {
			data = append(data, make([]byte, sourceSize-1)...)
		} else {
			data = append(appendIdentity(data, identity), c.Blobs[i][:]...)
		}
		data = append(data, 0)
		if b.archive.IsRecorded(e) {
			data[len(data)-1] = 1
		}
	}
	return store.WriteCache(b.Out, b.manifest.ID, sourcesCache, data)
}

func appendIdentity(dst []byte, id store.Identity) []byte {
	dst = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, id.Device), id.Inode)
	for _, v := range [...]int64{id.Size, id.Modified, id.Changed} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v)) //nolint:gosec // the bits are kept
	}
	return dst
}

// source returns the git blob name of the file of an entity of the previous build. ok is false if the
// file had another identity then.
func (i *identities) source(ordinal uint32, identity store.Identity) (blob [sha1.Size]byte, ok bool) {
	was := i.sourceOf(ordinal)
	var room [identitySize]byte
	if was == nil || identity == (store.Identity{}) || !bytes.Equal(appendIdentity(room[:0], identity), was[:identitySize]) {
		return blob, false
	}
	return [sha1.Size]byte(was[identitySize:]), true
}

// recorded reports whether an entity of the previous build was the same as its newest version.
func (i *identities) recorded(ordinal uint32) bool {
	was := i.sourceOf(ordinal)
	return was != nil && was[sourceSize-1] == 1
}

// sourceOf returns what the cache says about an entity, or nil.
func (i *identities) sourceOf(ordinal uint32) []byte {
	from := sourceSize * int(ordinal)
	if from+sourceSize > len(i.sources) {
		return nil
	}
	return i.sources[from : from+sourceSize]
}
