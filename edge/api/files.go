package api

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"

	"kindex/edge/live"
	"kindex/edge/web"
	"kindex/exports/store"
)

// Data handles GET /data/:build/*file. It serves the files of all builds that have not been
// deleted; the bytes at an address never change. Files are sent without content coding, since
// the compressed variants have their own addresses.
func (a *API) Data(c *web.Call) (*web.Reply, error) {
	id, path := c.Param("build"), strings.TrimPrefix(c.Param("file"), "/")
	m := c.Served.Build.Manifest
	if id != m.ID {
		var err error
		if m, err = a.oldBuilds.Manifest(id); errors.Is(err, fs.ErrNotExist) {
			return nil, unknownFile(id, path)
		} else if err != nil {
			return nil, err
		}
	}
	content, f, err := a.dataFile(c.Served, id, path)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Link": live.LicenseLinks(f.License), "Last-Modified": {m.LastModified().UTC().Format(http.TimeFormat)}}
	mediaType := f.MediaType
	switch f.Encoding {
	case "gzip":
		mediaType = "application/gzip"
	case "zstd":
		mediaType = "application/zstd"
	case "br":
		mediaType = "application/octet-stream"
	}
	return &web.Reply{MediaType: mediaType, Header: h, Immutable: true, Build: id,
		File: &web.FileReply{Content: content, ETag: web.ETag(etagBase(f), web.Identity)}}, nil
}

func unknownFile(id, path string) *web.Problem {
	return web.NewProblem("unknown-build", "No file "+web.Shorten(path)+" in build "+web.Shorten(id)+
		"; old builds are deleted. GET /api/export/manifest lists the files of the current build.")
}

// dataFile returns a file of the current build from memory, or a file of an older build from
// disk. Only files named in a manifest are served, whatever the path looks like.
func (a *API) dataFile(v *live.ServedBuild, id, path string) (io.ReadSeekCloser, store.File, error) {
	unknown := unknownFile(id, path)
	if path == store.ManifestFile && store.ValidID(id) {
		data, f, err := store.ManifestBytes(filepath.Join(store.BuildsDir(a.dir), id))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, f, unknown
		}
		return inMemory(data), f, err
	}
	if id == v.Build.Manifest.ID {
		data, f, ok := v.Build.File(path)
		if !ok {
			return nil, f, unknown
		}
		return inMemory(data), f, nil
	}
	if !store.ValidID(id) {
		return nil, store.File{}, unknown
	}
	content, f, err := a.oldBuilds.Open(id, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f, unknown
	}
	return content, f, err
}

// inMemory returns a reader for a file in memory; closing it has no effect.
func inMemory(data []byte) io.ReadSeekCloser {
	return struct {
		*bytes.Reader
		io.Closer
	}{bytes.NewReader(data), io.NopCloser(nil)}
}
