package web

import (
	"bytes"

	"kindex/site"
)

// AssetReply returns the reply for a file that pages load. The content at its address never
// changes.
func AssetReply(c *Call, a site.Asset, ok bool) (*Reply, error) {
	if !ok {
		return c.NotFound()
	}
	f := &FileReply{Content: bytes.NewReader(a.Data), ETag: a.ETag}
	if a.Gzip != nil {
		f.Gzip = bytes.NewReader(a.Gzip)
	}
	return &Reply{MediaType: a.MediaType, Immutable: true, File: f}, nil
}
