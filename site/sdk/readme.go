package sdk

import "embed"

//go:embed typescript/README.md python/README.md
var readmes embed.FS

// Readme returns the README of the library for a language, in Markdown.
func Readme(language string) ([]byte, error) { return readmes.ReadFile(language + "/README.md") }
