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
	content, f, err := s.dataFile(c.view, id, path)
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	addLicense(h, f.License)
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

// dataFile finds a file of the current build in memory, and of an older one on
// the disk. Only what a manifest names is served, whatever the path looks like.
func (s *Server) dataFile(v *view, id, path string) (io.ReadSeeker, exports.File, error) {
	unknown := newProblem("unknown-build", "There is no file "+shorten(path)+" of a build "+shorten(id)+
		" here; old builds are removed. GET /api/export/manifest lists the files of the current one.")
	if path == exports.ManifestFile && exports.ValidID(id) {
		data, f, err := exports.ManifestBytes(filepath.Join(exports.BuildsDir(s.options.Dir), id))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, f, unknown
		}
		return bytes.NewReader(data), f, err
	}
	if id == v.id() {
		data, f, ok := v.build.File(path)
		if !ok {
			return nil, f, unknown
		}
		return bytes.NewReader(data), f, nil
	}
	if !exports.ValidID(id) {
		return nil, exports.File{}, unknown
	}
	m, err := s.old.manifest(id)
	if err != nil {
		return nil, exports.File{}, errors.Join(unknown, err)
	}
	f, ok := m.File(path)
	if !ok {
		return nil, f, unknown
	}
	// Whole files are read: the builder may remove the build at any moment,
	// and a started answer must be finished.
	data, err := os.ReadFile(filepath.Join(exports.BuildsDir(s.options.Dir), id, filepath.FromSlash(f.Path)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f, unknown
	}
	return bytes.NewReader(data), f, err
}

// oldBuilds keeps the manifests of builds that are not current any more.
type oldBuilds struct {
	root string

	mu        sync.Mutex
	manifests map[string]*exports.Manifest
}

// keptManifests bounds the memory for manifests of old builds.
const keptManifests = 32

func (o *oldBuilds) manifest(id string) (*exports.Manifest, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.manifests[id]; m != nil {
		return m, nil
	}
	m, err := exports.ReadManifest(filepath.Join(exports.BuildsDir(o.root), id))
	if err != nil {
		return nil, err
	}
	if o.manifests == nil || len(o.manifests) >= keptManifests {
		o.manifests = map[string]*exports.Manifest{}
	}
	o.manifests[id] = m
	return m, nil
}
