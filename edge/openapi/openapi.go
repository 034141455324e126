// Package openapi contains the OpenAPI 3.0.3 description of the API.
package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// YAML is the description in YAML, as written.
//
//go:embed openapi.yaml
var YAML []byte

// JSON returns the description in JSON, with the members in the same order as in the YAML.
var JSON = sync.OnceValue(func() []byte {
	b, err := yaml.YAMLToJSON(YAML)
	if err != nil {
		panic(fmt.Sprintf("openapi: the embedded description: %v", err)) // a test parses it
	}
	return b
})

// Version returns the version of the description.
var Version = sync.OnceValue(func() string {
	head, _, _ := bytes.Cut(YAML, []byte("\npaths:\n")) // parsing the rest takes long
	var doc struct{ Info struct{ Version string } }
	if err := yaml.Unmarshal(head, &doc); err != nil {
		panic(fmt.Sprintf("openapi: the embedded description: %v", err)) // a test parses it
	}
	return doc.Info.Version
})

// Operation is an operation of the API.
type Operation struct {
	Method, Path, Summary string // Method is in upper case
}

// Operations returns all operations, in the order of the description.
var Operations = sync.OnceValue(func() (list []Operation) {
	var doc struct {
		Paths yaml.MapSlice `yaml:"paths"`
	}
	if err := yaml.UnmarshalWithOptions(YAML, &doc, yaml.UseOrderedMap()); err != nil {
		panic(fmt.Sprintf("openapi: the embedded description: %v", err)) // a test parses it
	}
	for _, path := range doc.Paths {
		verbs, _ := path.Value.(yaml.MapSlice)
		for _, verb := range verbs {
			fields, _ := verb.Value.(yaml.MapSlice)
			if summary, ok := fields.ToMap()["summary"].(string); ok {
				list = append(list, Operation{strings.ToUpper(verb.Key.(string)), path.Key.(string), summary})
			}
		}
	}
	return list
})

// beforeContact is the line of the description before which the contact is inserted.
const beforeContact = "  license:\n"

// types is the line of the description with the types of entities.
const types = "      enum: [model, tool]\n"

// With returns the description of a service, in YAML and in JSON: with its contact, which can be
// an email address, a URL or any other text, and with the kinds of its index as the types of entities. If
// contact is "", the description has no contact. The JSON is made by the first call of inJSON, because that
// takes a large part of a second.
func With(contact string, kinds []string) (inYAML []byte, inJSON func() ([]byte, error), err error) {
	inYAML = bytes.Replace(YAML, []byte(types), []byte("      enum: ["+strings.Join(kinds, ", ")+"]\n"), 1)
	asJSON := sync.OnceValues(func() ([]byte, error) { return yaml.YAMLToJSON(inYAML) })
	switch same := bytes.Equal(inYAML, YAML); {
	case contact == "" && same:
		return YAML, func() ([]byte, error) { return JSON(), nil }, nil
	case contact == "":
		return inYAML, asJSON, nil
	}
	field := "name"
	if a, err := mail.ParseAddress(contact); err == nil && a.Address == contact {
		field = "email"
	} else if u, err := url.Parse(contact); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		field = "url"
	}
	text, err := json.Marshal(contact) // JSON is valid YAML
	if err != nil {
		return nil, nil, err
	}
	inYAML = bytes.Replace(inYAML, []byte(beforeContact), fmt.Appendf(nil, "  contact:\n    %s: %s\n%s", field, text, beforeContact), 1)
	return inYAML, asJSON, nil
}
