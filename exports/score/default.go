package score

import _ "embed"

// Default is the scoring file that is used where the content has none.
//
//go:embed default.yaml
var Default []byte
