// Package openapi holds the OpenAPI 3.0.3 description of the interface.
package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
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

// beforeContact is the line of the description that whom to ask is put before.
const beforeContact = "  license:\n"

// With is the description of a service whose users may write to contact: an e-mail
// address, that of a page, or another text; "" for nobody.
func With(contact string) (inYAML, inJSON []byte, err error) {
	if contact == "" {
		return YAML, JSON(), nil
	}
	field := "name"
	if a, err := mail.ParseAddress(contact); err == nil && a.Address == contact {
		field = "email"
	} else if u, err := url.Parse(contact); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		field = "url"
	}
	text, err := json.Marshal(contact) // which is YAML, too
	if err != nil {
		return nil, nil, err
	}
	inYAML = bytes.Replace(YAML, []byte(beforeContact), fmt.Appendf(nil, "  contact:\n    %s: %s\n%s", field, text, beforeContact), 1)
	inJSON, err = yaml.YAMLToJSON(inYAML)
	return inYAML, inJSON, err
}
