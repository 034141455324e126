// Package openapi contains the OpenAPI 3.0.3 description of the API.
package openapi

import (
	"bytes"
	_ "embed"
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

// JSON converts a description to JSON, with the members in the same order. It takes a large part of a
// second.
func JSON(inYAML []byte) ([]byte, error) { return yaml.YAMLToJSON(inYAML) }

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
	root, err := decode(YAML)
	if err != nil {
		panic(fmt.Sprintf("openapi: the embedded description: %v", err)) // a test parses it
	}
	paths := root.at("paths")
	for _, path := range paths.names {
		for _, verb := range paths.at(path).names {
			if summary := paths.at(path, verb).text("summary"); summary != "" {
				list = append(list, Operation{strings.ToUpper(verb), path, summary})
			}
		}
	}
	return list
})

// beforeContact is the line of the description before which the contact is inserted.
const beforeContact = "  license:\n"

// With returns a description in YAML with the contact of a service, which can be an email address, a URL
// or any other text. If contact is "", it returns the description as it is.
func With(contact string, inYAML []byte) []byte {
	if contact == "" {
		return inYAML
	}
	field := "name"
	if a, err := mail.ParseAddress(contact); err == nil && a.Address == contact {
		field = "email"
	} else if u, err := url.Parse(contact); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		field = "url"
	}
	return bytes.Replace(inYAML, []byte(beforeContact), fmt.Appendf(nil, "  contact:\n    %s: %q\n%s", field, contact, beforeContact), 1)
}
