package depot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"kindex/exports/bucket"
	"kindex/exports/buildlog"
	"kindex/exports/store"
)

// PublishOptions configure Publish.
type PublishOptions struct {
	Dir   string        // the output folder whose published build is published in the bucket
	Dirty bool          // also publish a build from content that was not committed
	Key   *buildlog.Key // signs the build and its log; nil to sign nothing
	// Progress is called with how many files were read, and then how many of the chunks to upload were
	// uploaded. It may be nil.
	Progress Progress
}

// PublishResult describes what Publish did.
type PublishResult struct {
	Build     string `json:"build"`
	Unchanged bool   `json:"unchanged"` // it was already published, and nothing was written
	Files     int    `json:"files"`
	Bytes     int64  `json:"bytes"`         // size of all files
	New       int64  `json:"newBytes"`      // size of the chunks that were written
	Packs     int    `json:"packs"`         // written
	Uploaded  int64  `json:"uploadedBytes"` // without the log
	// Signature is that of the build, nil if Publish was called without a key.
	Signature *Signature `json:"signature,omitempty"`
	// PreviousKey is the key with which the previous build was signed, if this one is not signed.
	PreviousKey string `json:"previousKey,omitempty"`
}

// maxUploads is the number of packs that are compressed and written at the same time. Each takes
// about 60 MiB of memory.
const maxUploads = 3

// ErrDirty means that a build was made from uncommitted content.
var ErrDirty = errors.New("was built from content that was not committed, so nobody can rebuild it")

// Publish publishes a build in a bucket. Chunks that the published build has are not written
// again. If another publisher is faster, Publish returns an error that wraps bucket.ErrConflict;
// nothing is lost, and it can be called again. With a key, it signs the build, even if it was
// published before without a signature, and keeps the signed statement in the output folder.
func Publish(ctx context.Context, to bucket.Bucket, o PublishOptions) (*PublishResult, error) {
	id, err := store.Current(o.Dir)
	if err != nil {
		return nil, err
	}
	l, err := openLocal(o.Dir, id)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if l.set.manifest.Dirty && !o.Dirty {
		return nil, fmt.Errorf("the build %s %w", id, ErrDirty)
	}
	published, tag, err := readCurrent(ctx, to, "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	p := &publisher{to: to, local: l, dir: o.Dir, key: o.Key, progress: o.Progress, report: &PublishResult{Build: id, Files: len(l.set.files)}}
	for _, f := range l.set.files {
		p.report.Bytes += f.Size
	}
	complete := false
	if published != nil {
		if complete, err = p.readPublished(ctx, published); err != nil {
			return nil, err
		}
	}
	if same := published != nil && published.Build == id && published.Manifest == sumOf(l.manifest) && published.Index == sumOf(l.index); same {
		p.previous = published.Signature
		if complete {
			return p.report, p.ensureSigned(ctx, published, tag)
		}
	} else if published != nil && published.Signature != nil && o.Key == nil {
		p.report.PreviousKey = published.Signature.Key
	}
	if p.now, err = clock(ctx, to); err != nil {
		return nil, err
	}
	if err := p.scan(ctx); err != nil {
		return nil, err
	}
	if err := p.writePacks(ctx); err != nil {
		return nil, err
	}
	return p.report, p.writeBuild(ctx, tag)
}

// readPublished reads which chunks the published build has, and reports whether all its packs exist.
// Objects that are missing or damaged, or have the format of another version of kindex, are not
// relied on but published again.
func (p *publisher) readPublished(ctx context.Context, c *current) (complete bool, err error) {
	_, m, _, _, err := readBuild(ctx, p.to, c)
	var altered *DamageError
	var unreadable *store.DamageError
	if errors.As(err, &altered) || errors.As(err, &unreadable) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sizes := map[string]int64{}
	for i, err := range p.to.List(ctx, blobsPrefix) {
		if err != nil {
			return false, err
		}
		sizes[i.Name] = i.Size
	}
	missing := make([]bool, len(m.packs))
	complete = true
	for i, k := range m.packs {
		if size, ok := sizes[blobName(k.sum)]; !ok || size != k.size {
			missing[i], complete = true, false
		}
	}
	m.chunks = slices.DeleteFunc(m.chunks, func(c chunk) bool { return missing[c.pack] })
	p.published = m
	return complete, nil
}

// readBuild returns the files and the map of a build, and both manifests as they are stored.
func readBuild(ctx context.Context, from bucket.Reader, c *current) (set *fileSet, m *chunkMap, manifest, index []byte, err error) {
	if manifest, err = readChecked(ctx, from, manifestName(c), c.Manifest, maxManifest); err != nil {
		return nil, nil, nil, nil, err
	}
	if index, err = readChecked(ctx, from, indexName(c), c.Index, maxManifest); err != nil {
		return nil, nil, nil, nil, err
	}
	data, err := readChecked(ctx, from, mapName(c), c.Map, maxMap)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if v, err := store.FormatOf(manifest); err == nil && v != store.FormatVersion {
		return nil, nil, nil, nil, &store.DamageError{Path: from.String() + "/" + manifestName(c), Problem: fmt.Sprintf(
			"has format version %d, but this program reads version %d; use a kindex of the version that published it", v, store.FormatVersion)}
	}
	if set, err = parseManifests(c.Build, manifest, index); err != nil {
		return nil, nil, nil, nil, err
	}
	if m, err = decodeMap(data, set.files); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("%s/%s: %w", from, mapName(c), err)
	}
	return set, m, manifest, index, nil
}

// publisher publishes one build.
type publisher struct {
	to        bucket.Bucket
	local     *local
	dir       string             // with the build
	key       *buildlog.Key      // nil to sign nothing
	previous  *Signature         // of this build, if it is published already
	signed    *verifiedStatement // nil before the build is signed
	progress  Progress
	published *chunkMap // of the published build, nil if there is none
	report    *PublishResult
	now       time.Time  // when Publish started, by the bucket's clock
	mu        sync.Mutex // protects report while packs are written

	files  []mapped     // with places in chunks
	chunks []localChunk // each once
	packs  []*pack      // those of the published build that are needed, then new ones
}

// localChunk is a chunk of the build, and where it is.
type localChunk struct {
	chunk
	file  int   // place in local.set.files
	at    int64 // offset in the file
	old   bool  // it is in a pack of the published build that is kept
	again bool  // it is in another pack of the published build
}

// scan reads all files, divides them into chunks and finds out which files need not be stored.
func (p *publisher) scan(ctx context.Context) error {
	derived, err := p.local.derivations(ctx)
	if err != nil {
		return err
	}
	places := map[chunkID]uint32{}
	for i, f := range p.local.set.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.progress.report("read", i+1, len(p.local.set.files))
		if derived[f.Path] != nil {
			continue
		}
		list := mapped{path: f.Path}
		at := int64(0)
		err := p.local.scan(f, func(c []byte) {
			id := idOf(c)
			place, ok := places[id]
			if !ok {
				place = uint32(len(p.chunks))
				places[id] = place
				p.chunks = append(p.chunks, localChunk{chunk: chunk{id: id, length: uint32(len(c))}, file: i, at: at})
			}
			list.chunks = append(list.chunks, place)
			at += int64(len(c))
		})
		if err != nil {
			return err
		}
		p.files = append(p.files, list)
	}
	for _, arrays := range []bool{true, false} { // each after the file from which it is made
		for _, f := range p.local.set.files {
			if d := derived[f.Path]; d != nil && (d.As == asArray) == arrays {
				p.files = append(p.files, mapped{path: f.Path, from: d})
			}
		}
	}
	return nil
}

// writeBuild writes the build's own objects, then current.
func (p *publisher) writeBuild(ctx context.Context, tag string) error {
	next := current{Format: format, Build: p.report.Build}
	for _, o := range []struct {
		sum  *string
		name func(*current) string
		data []byte
	}{
		{&next.Map, mapName, p.chunkMap().encode()},
		{&next.Index, indexName, p.local.index},
		{&next.Manifest, manifestName, p.local.manifest},
	} {
		*o.sum = sumOf(o.data)
		if err := p.to.Write(ctx, o.name(&next), o.data); err != nil {
			return err
		}
		p.report.Uploaded += int64(len(o.data))
	}
	if next.Signature = p.previous; p.key != nil {
		if err := p.sign(ctx, &next); err != nil {
			return err
		}
	}
	return p.writeCurrent(ctx, &next, tag)
}

// writeCurrent publishes the build.
func (p *publisher) writeCurrent(ctx context.Context, next *current, tag string) error {
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if err := p.to.Write(ctx, descriptionName(next.Build), data); err != nil {
		return err
	}
	if err := p.to.Replace(ctx, currentName, data, tag); err != nil || p.signed == nil {
		return err
	}
	p.report.Signature = &p.signed.signature
	return p.signed.save(p.dir, next.Build)
}

// chunkMap sorts the chunks by pack and offset and returns the map.
func (p *publisher) chunkMap() *chunkMap {
	order := make([]uint32, len(p.chunks))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		x, y := &p.chunks[a], &p.chunks[b]
		return cmp.Or(cmp.Compare(x.pack, y.pack), cmp.Compare(x.offset, y.offset))
	})
	m := &chunkMap{chunks: make([]chunk, len(order)), files: p.files}
	for _, pk := range p.packs {
		m.packs = append(m.packs, *pk)
	}
	place := make([]uint32, len(order))
	for i, at := range order {
		m.chunks[i] = p.chunks[at].chunk
		place[at] = uint32(i)
	}
	for _, f := range m.files {
		for i, at := range f.chunks {
			f.chunks[i] = place[at]
		}
	}
	return m
}
