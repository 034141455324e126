package api

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"kindex/edge/live"
	"kindex/edge/web"
	"kindex/exports/croissant"
	"kindex/exports/sign"
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

// dataFile returns a file of the current build or of an older one. Only files named in a manifest are
// served, whatever the path looks like. It returns fs.ErrNotExist if there is no such file.
func (a *API) dataFile(c *web.Call, id, path string) (io.ReadSeeker, *store.Manifest, store.File, error) {
	m := c.Served.Build.Manifest
	if id != m.ID || path == store.ManifestFile {
		return a.oldBuilds.Open(id, path)
	}
	content, f, ok := c.Served.Build.File(path)
	if !ok {
		return nil, nil, f, fs.ErrNotExist
	}
	return content, m, f, nil
}

// ExportManifest handles GET /api/export/manifest. It lists each file with its immutable
// URL. The response describes the build's files, which do not contain previewed edits.
func (a *API) ExportManifest(c *web.Call) (*web.Reply, error) {
	m := *c.Served.Build.Manifest
	type file struct {
		store.File
		URL string `json:"url"`
	}
	answer := struct {
		store.Manifest
		Signature *sign.Signature `json:"signature"`
		Files     []file          `json:"files"`
	}{Manifest: m, Signature: c.Served.Signature()}
	c.BuildOnly = false // the build may be signed later
	for _, f := range m.Files {
		answer.Files = append(answer.Files, file{f, "/data/" + m.ID + "/" + f.Path})
	}
	body, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		return nil, err
	}
	return &web.Reply{MediaType: web.JSONType, Header: http.Header{"Link": c.Served.Licenses}, Build: m.ID, Body: append(body, '\n')}, nil
}

// ExportCroissant handles GET /api/export/croissant. The response describes the build's files,
// which do not contain previewed edits.
func (a *API) ExportCroissant(c *web.Call) (*web.Reply, error) {
	m := c.Served.Build.Manifest
	body, err := croissant.Describe(m, c.Served.Build.Kinds(), c.BaseURL(), c.Served.Signature())
	if err != nil {
		return nil, err
	}
	c.BuildOnly = false // the build may be signed later
	return &web.Reply{MediaType: croissant.MediaType, Header: http.Header{"Link": c.Served.Licenses}, Build: m.ID, Body: body}, nil
}
