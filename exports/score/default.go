package score

import _ "embed"

// Default is the scoring file used if the content has none.
//
//go:embed default.yaml
var Default []byte
