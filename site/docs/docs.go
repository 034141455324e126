// Package docs embeds the guides; README.md lists them.
package docs

import "embed"

// Files contains the guides, as Markdown.
//
//go:embed *.md
var Files embed.FS
