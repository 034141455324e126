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
	return &Reply{MediaType: a.MediaType, Immutable: true, File: &FileReply{
		Content: bytes.NewReader(a.Data), ETag: a.ETag, Gzip: a.Gzip}}, nil
}
