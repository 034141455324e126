package edge

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"

	"kindex/exports"
)

// GET /data/:build/*file
//
// The files of every build that is kept, at addresses whose bytes never change.
// What is sent is the file itself, in no content coding: the compressed
// variants have addresses of their own.
func (a *API) data(c *call) (*reply, error) {
	id, path := c.param("build"), strings.TrimPrefix(c.param("file"), "/")
	m := c.served.build.Manifest
	if id != m.ID {
		var err error
		if m, err = a.old.manifest(id); errors.Is(err, fs.ErrNotExist) {
			return nil, unknownFile(id, path)
		} else if err != nil {
			return nil, err
		}
	}
	content, f, err := a.dataFile(c.served, id, path)
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
func (a *API) dataFile(v *view, id, path string) (io.ReadSeekCloser, exports.File, error) {
	unknown := unknownFile(id, path)
	if path == exports.ManifestFile && exports.ValidID(id) {
		data, f, err := exports.ManifestBytes(filepath.Join(exports.BuildsDir(a.dir), id))
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
	content, f, err := a.old.open(id, path)
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
