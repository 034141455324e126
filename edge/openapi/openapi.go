// Package openapi contains the OpenAPI 3.0.3 description of the API.
package openapi

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"kindex/exports/kinds"
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
	return string(regexp.MustCompile(`(?m)^  version: (\S+)$`).FindSubmatch(YAML)[1]) // parsing it takes long
})

// Operation is an operation of the API.
type Operation struct {
	ID, Method, Path, Summary string // Method is in upper case
}

// Operations returns the operations of an index, in the order of the description.
func Operations(declared *kinds.Set) (list []Operation) {
	for _, o := range operations() {
		if has(declared, o.ID) {
			list = append(list, o)
		}
	}
	return list
}

var operations = sync.OnceValue(func() (list []Operation) {
	root, err := decode(YAML)
	if err != nil {
		panic(fmt.Sprintf("openapi: the embedded description: %v", err)) // a test parses it
	}
	paths := root.at("paths")
	for _, path := range paths.names {
		for _, verb := range paths.at(path).names {
			if o := paths.at(path, verb); o.text("summary") != "" {
				list = append(list, Operation{o.text("operationId"), strings.ToUpper(verb), path, o.text("summary")})
			}
		}
	}
	return list
})

// beforeContact is the line of the description before which the contact is inserted.
const beforeContact = "  license:\n"

// Service is what the description of a service says about it.
type Service struct {
	Contact string // of the operator: an email address, a URL or any other text, or "" if there is none
	SignIn  bool   // people can sign in on the website
	Ranked  bool   // the index has scores
	Entity  string // the address of an entity, such as tool/pytorch, or "" if there is none
	Name    string // its name
}

// Host stands for the address of the service in the examples of a description.
const Host = "https://HOST"

// Sentences of the description that are not about a service with an address, or about one without sign-in. They
// may be quoted, with escaped line breaks.
var replaceHost, ways = sentence(". Replace `" + Host + "` with the address of the service:"),
	sentence("Either the operator issues keys manually, or anyone can get one by signing in on the website at `/signin`.")

func sentence(text string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(text), " ", `(?:\s|\\n)+`))
}

// With returns a description in YAML as a service gives it. Host stays.
func With(of Service, inYAML []byte) []byte {
	inYAML = replaceHost.ReplaceAllLiteral(inYAML, []byte(":"))
	way := "On this service, anyone can get one by signing in on the website at `/signin`."
	if !of.SignIn {
		way = "On this service, the operator issues keys; `/developer/` says more."
	}
	if !of.Ranked {
		inYAML = bytes.ReplaceAll(inYAML, []byte("TYPE/SLUG/score'"), []byte("TYPE/SLUG'"))
		inYAML = bytes.ReplaceAll(inYAML, []byte(Host+"/api/leaderboard/all?"), []byte(Host+"/api/entities?"))
	}
	if of.Entity != "" {
		inYAML = bytes.ReplaceAll(inYAML, []byte("TYPE/SLUG"), []byte(of.Entity))
		inYAML = bytes.ReplaceAll(inYAML, []byte("q=WORDS"), []byte("q="+url.QueryEscape(of.Name)))
	}
	inYAML = ways.ReplaceAllLiteral(inYAML, []byte(way))
	contact, field := of.Contact, "name"
	if contact == "" {
		return inYAML
	}
	if a, err := mail.ParseAddress(contact); err == nil && a.Address == contact {
		field = "email"
	} else if u, err := url.Parse(contact); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		field = "url"
	}
	return bytes.Replace(inYAML, []byte(beforeContact), fmt.Appendf(nil, "  contact:\n    %s: %q\n%s", field, contact, beforeContact), 1)
}

// object is a JSON object that keeps the order of its members.
type object struct {
	names   []string
	members map[string]any // *object, []any, or a scalar
}

func decode(inYAML []byte) (*object, error) {
	var doc yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(inYAML, &doc, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	return tree(doc).(*object), nil
}

func tree(v any) any {
	switch v := v.(type) {
	case yaml.MapSlice:
		o := newObject()
		for _, item := range v {
			name, _ := item.Key.(string)
			o.put(name, tree(item.Value))
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = tree(item)
		}
		return list
	}
	return v
}

// newObject returns an object with members, given as names and values in turn.
func newObject(members ...any) *object {
	o := &object{members: map[string]any{}}
	for pair := range slices.Chunk(members, 2) {
		name, _ := pair[0].(string)
		o.put(name, pair[1])
	}
	return o
}

func (o *object) clone() *object { return &object{slices.Clone(o.names), maps.Clone(o.members)} }

// at returns the object at a path, or nil if there is none. A nil object has no members.
func (o *object) at(path ...string) *object {
	for _, name := range path {
		if o == nil {
			return nil
		}
		o, _ = o.members[name].(*object)
	}
	return o
}

func (o *object) get(name string) any {
	if o == nil {
		return nil
	}
	return o.members[name]
}

func (o *object) text(name string) string { s, _ := o.get(name).(string); return s }

// put sets a member, at the end if it is new.
func (o *object) put(name string, value any) {
	if _, ok := o.members[name]; !ok {
		o.names = append(o.names, name)
	}
	o.members[name] = value
}

// keep drops the members for which keep returns false.
func (o *object) keep(keep func(name string, value any) bool) {
	o.names = slices.DeleteFunc(o.names, func(name string) bool {
		if keep(name, o.members[name]) {
			return false
		}
		delete(o.members, name)
		return true
	})
}

// walk calls visit for each object below and including v, parents first.
func walk(v any, visit func(o *object)) {
	switch v := v.(type) {
	case *object:
		visit(v)
		for _, name := range v.names {
			walk(v.members[name], visit)
		}
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	}
}

// MarshalYAML implements yaml.InterfaceMarshaler: the members keep their order.
func (o *object) MarshalYAML() (any, error) {
	var members yaml.MapSlice
	for _, name := range o.names {
		members = append(members, yaml.MapItem{Key: name, Value: o.members[name]})
	}
	return members, nil
}
