package edge

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"kindex/exports"
)

// GET /data/:build/*file
//
// The files of every build that is kept, at addresses whose bytes never change.
// What is sent is the file itself, in no content coding: the compressed
// variants have addresses of their own.
func (s *Server) data(c *call) (*reply, error) {
	id, path := c.param("build"), strings.TrimPrefix(c.param("file"), "/")
	m := c.view.build.Manifest
	if id != m.ID {
		var err error
		if m, err = s.old.manifest(id); errors.Is(err, fs.ErrNotExist) {
			return nil, unknownFile(id, path)
		} else if err != nil {
			return nil, err
		}
	}
	content, f, err := s.dataFile(c.view, id, path)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Link": licenseLinks(f.License), "Last-Modified": {m.LastModified().UTC().Format(http.TimeFormat)}}
	mediaType := f.MediaType
	switch f.Encoding {
	case "gzip":
		mediaType = "application/gzip"
	case "zstd":
		mediaType = "application/zstd"
	case "br":
		mediaType = "application/octet-stream"
	}
	return &reply{mediaType: mediaType, header: h, immutable: true, build: id,
		file: &fileReply{content: content, etag: entityTag(shortSum(f), identity)}}, nil
}

func unknownFile(id, path string) *Problem {
	return newProblem("unknown-build", "There is no file "+shorten(path)+" of a build "+shorten(id)+
		" here; old builds are removed. GET /api/export/manifest lists the files of the current one.")
}

// dataFile finds a file of the current build in memory, and of an older one on
// the disk. Only what a manifest names is served, whatever the path looks like.
func (s *Server) dataFile(v *view, id, path string) (io.ReadSeekCloser, exports.File, error) {
	unknown := unknownFile(id, path)
	if path == exports.ManifestFile && exports.ValidID(id) {
		data, f, err := exports.ManifestBytes(filepath.Join(exports.BuildsDir(s.options.Dir), id))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, f, unknown
		}
		return inMemory(data), f, err
	}
	if id == v.build.Manifest.ID {
		data, f, ok := v.build.File(path)
		if !ok {
			return nil, f, unknown
		}
		return inMemory(data), f, nil
	}
	if !exports.ValidID(id) {
		return nil, exports.File{}, unknown
	}
	content, f, err := s.old.open(id, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f, unknown
	}
	return content, f, err
}

// inMemory is a file that needs no closing.
func inMemory(data []byte) io.ReadSeekCloser {
	return struct {
		*bytes.Reader
		io.Closer
	}{bytes.NewReader(data), io.NopCloser(nil)}
}

// oldBuilds keeps what is known of builds that are not current any more.
type oldBuilds struct {
	root string

	mu        sync.Mutex
	manifests map[string]*exports.Manifest
	intact    map[string]bool // files that were compared with their manifest
}

// open opens a file. Its bytes will be kept for a year by whoever gets them, so
// they are compared with the manifest before they are first sent. The builder
// may remove the build at any moment; an open file can still be read to its end.
func (o *oldBuilds) open(id, path string) (*os.File, exports.File, error) {
	m, err := o.manifest(id)
	if err != nil {
		return nil, exports.File{}, errors.Join(fs.ErrNotExist, err)
	}
	f, ok := m.File(path)
	if !ok {
		return nil, f, fs.ErrNotExist
	}
	dir := filepath.Join(exports.BuildsDir(o.root), id)
	full := filepath.Join(dir, filepath.FromSlash(f.Path))
	files, err := exports.OpenFiles(dir)
	if err != nil {
		return nil, f, o.unlessRemoved(id, err)
	}
	defer files.Close()
	content, err := exports.OpenFile(files, f)
	if err != nil {
		return nil, f, o.unlessRemoved(id, err)
	}
	o.mu.Lock()
	intact := o.intact[full]
	o.mu.Unlock()
	if intact {
		return content, f, nil
	}
	if err := exports.VerifyFile(dir, f); err != nil {
		return nil, f, errors.Join(o.unlessRemoved(id, err), content.Close())
	}
	o.mu.Lock()
	o.intact[full] = true
	o.mu.Unlock()
	return content, f, nil
}

// keptManifests bounds the memory for manifests of old builds.
const keptManifests = 32

func (o *oldBuilds) manifest(id string) (*exports.Manifest, error) {
	if !exports.ValidID(id) {
		return nil, fs.ErrNotExist
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.manifests[id]; m != nil {
		return m, nil
	}
	m, err := exports.ReadManifest(filepath.Join(exports.BuildsDir(o.root), id))
	if err != nil {
		return nil, o.unlessRemoved(id, err)
	}
	if o.manifests == nil || len(o.manifests) >= keptManifests {
		o.manifests, o.intact = map[string]*exports.Manifest{}, map[string]bool{}
	}
	o.manifests[id] = m
	return m, nil
}

// unlessRemoved is fs.ErrNotExist instead of an error where the builder has
// removed the build: what it removes under a reader looks like damage.
func (o *oldBuilds) unlessRemoved(id string, err error) error {
	if _, gone := os.Stat(filepath.Join(exports.BuildsDir(o.root), id, exports.ManifestFile)); errors.Is(gone, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	return err
}
