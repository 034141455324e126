// Package openapi holds the OpenAPI 3.0.3 description of the interface.
package openapi

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"
)

// YAML is the description as it is written.
//
//go:embed openapi.yaml
var YAML []byte

// JSON is the description in JSON, its members in the same order.
var JSON = sync.OnceValue(func() []byte {
	b, err := yaml.YAMLToJSON(YAML)
	if err != nil {
		panic(fmt.Sprintf("openapi: the embedded description: %v", err)) // a test reads it
	}
	return b
})
