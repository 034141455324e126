package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/web"
	"kindex/exports/store"
)

// Data handles GET /data/:build/*file. It serves the files of all builds that have not been
// deleted; the bytes at an address never change. Files are sent without content coding, since
// the compressed variants have their own addresses.
func (a *API) Data(c *web.Call) (*web.Reply, error) {
	id, path := c.Param("build"), strings.TrimPrefix(c.Param("file"), "/")
	content, m, f, err := a.dataFile(c, id, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownFile(id, path)
	}
	if err != nil {
		return nil, err
	}
	h := http.Header{"Link": live.LicenseLinks(f.License), "Last-Modified": {m.LastModified().UTC().Format(http.TimeFormat)}}
	mediaType := f.MediaType
	if f.Encoding == "gzip" {
		mediaType = "application/gzip"
	}
	return &web.Reply{MediaType: mediaType, Header: h, Immutable: true, Build: id,
		File: &web.FileReply{Content: content, ETag: etagBase(f)}}, nil
}

func unknownFile(id, path string) *web.Problem {
	return web.NewProblem("unknown-build", "No file "+web.Shorten(path)+" in build "+web.Shorten(id)+
		"; old builds are deleted. GET /api/export/manifest lists the files of the current build.")
}

// fetchTimeout is how long a request waits for a file that has to be fetched from a bucket. What
// was downloaded is kept, so the same request may succeed later.
const fetchTimeout = 45 * time.Second

// dataFile returns a file of the current build from memory, or a file of an older build from
// disk or from a bucket. Only files named in a manifest are served, whatever the path looks like.
// It returns fs.ErrNotExist if there is no such file.
func (a *API) dataFile(c *web.Call, id, path string) (io.ReadSeekCloser, *store.Manifest, store.File, error) {
	if m := c.Served.Build.Manifest; id == m.ID && path != store.ManifestFile {
		data, f, ok := c.Served.Build.File(path)
		if !ok {
			return nil, nil, f, fs.ErrNotExist
		}
		return inMemory(data), m, f, nil
	}
	if !store.ValidID(id) {
		return nil, nil, store.File{}, fs.ErrNotExist
	}
	if a.oldBuilds.NeedsFetch(id) {
		c.LeaveGate() // fetching is limited elsewhere, and others must not wait for it
		if a.oldBuilds.NeedsLookUp(id) {
			// What the bucket is asked for all clients is limited, too; one must not use that up.
			if wait, ok := c.Shared.Limits.Allow(ratelimit.UnknownBuild, c.Shared.Proxies.Client(c.Request), 1); !ok {
				return nil, nil, store.File{}, web.NewProblem("busy", "Files of too many old builds were requested from this IP address; wait a minute.").RetryAfter(wait)
			}
		}
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), fetchTimeout)
	defer cancel()
	var content io.ReadSeekCloser
	var data []byte
	var m *store.Manifest
	var f store.File
	var err error
	if path == store.ManifestFile {
		data, m, f, err = a.oldBuilds.ManifestBytes(ctx, id)
		content = inMemory(data)
	} else {
		content, m, f, err = a.oldBuilds.Open(ctx, id, path)
	}
	var remote *live.FetchError
	if errors.As(err, &remote) {
		err = web.NewProblem("busy", "This file of an old build cannot be fetched at the moment; try again later.").RetryAfter(10)
	}
	return content, m, f, err
}

// inMemory returns a reader for a file in memory; closing it has no effect.
func inMemory(data []byte) io.ReadSeekCloser {
	return struct {
		*bytes.Reader
		io.Closer
	}{bytes.NewReader(data), io.NopCloser(nil)}
}
