package sdk

import "embed"

//go:embed typescript/README.md python/README.md
var readmes embed.FS

// Readme is the guide to the library of a language, as Markdown.
func Readme(language string) ([]byte, error) { return readmes.ReadFile(language + "/README.md") }
