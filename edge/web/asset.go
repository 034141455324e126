package web

import (
	"bytes"

	"kindex/site"
)

// AssetReply returns a file that pages load, at an address whose bytes never change.
func AssetReply(c *Call, a site.Asset, ok bool) (*Reply, error) {
	if !ok {
		return c.NotFound()
	}
	return &Reply{MediaType: a.MediaType, Immutable: true, File: &FileReply{
		Content: bytes.NewReader(a.Data), ETag: ETag(a.ETag, Identity),
		Variant: func(enc string) (Variant, bool) {
			return Variant{Body: a.Gzip, ETag: ETag(a.ETag, "gzip")}, enc == "gzip"
		},
	}}, nil
}
