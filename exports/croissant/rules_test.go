package croissant_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// This file implements the rules of Croissant 1.1 that apply to a description of tables, in
// the order of the sections of
// https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html. The reference validator
// is not used because it needs packages that the tests avoid. The last rules are not in the
// specification, but the validator checks them too.

// checker collects violations.
type checker struct {
	wrong   []string
	context map[string]any
	ids     map[string]string // type of each node by its @id
	refs    []string          // IDs that must exist
}

// violations returns the rules that a description violates.
func violations(doc []byte) []string {
	var d map[string]any
	if err := json.Unmarshal(doc, &d); err != nil {
		return []string{"Format Example: it is not JSON: " + err.Error()}
	}
	c := &checker{ids: map[string]string{}}
	c.dataset(d)
	for _, o := range objects(d["distribution"]) {
		c.file(o)
	}
	for _, o := range objects(d["recordSet"]) {
		c.records(o)
	}
	for _, ref := range c.refs {
		typ, id, _ := strings.Cut(ref, " ")
		c.rule(c.ids[id] == typ, "ID and Reference Mechanism: there is no %s %q", typ, id)
	}
	c.terms(d, "")
	return c.wrong
}

func (c *checker) rule(kept bool, format string, args ...any) {
	if !kept {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}

func (c *checker) dataset(d map[string]any) {
	const section = "Dataset-level Information, Required: %s is %v"
	c.context, _ = d["@context"].(map[string]any)
	c.rule(c.context != nil, section, "@context", "missing")
	c.rule(c.expand(text(d["@type"])) == "https://schema.org/Dataset", section, "@type", d["@type"])
	for _, name := range []string{"name", "description"} {
		c.rule(text(d[name]) != "", section, name, "missing")
	}
	c.rule(absolute(text(d["url"])), section, "url", d["url"])
	conforms := texts(d["conformsTo"])
	c.rule(slices.Contains(conforms, "http://mlcommons.org/croissant/1.1") && c.iri("conformsTo") == "http://purl.org/dc/terms/conformsTo", section, "dct:conformsTo", conforms)
	c.rule(day(text(d["datePublished"])), section, "datePublished", d["datePublished"])
	creators := objects(d["creator"])
	c.rule(len(creators) > 0, section, "creator", "missing")
	for _, o := range creators {
		typ := c.expand(text(o["@type"]))
		c.rule((typ == "https://schema.org/Organization" || typ == "https://schema.org/Person") && text(o["name"]) != "", section, "creator", o)
	}
	licenses, _ := d["license"].([]any)
	c.rule(len(licenses) > 0, section, "license", "missing")
	for _, l := range licenses {
		o, _ := l.(map[string]any)
		named := c.expand(text(o["@type"])) == "https://schema.org/CreativeWork" && text(o["name"]) != ""
		c.rule(absolute(text(l)) || named, section, "license", l)
	}
	c.rule(len(objects(d["distribution"])) > 0, "Modified and Added Properties: distribution")
	_, boolean := d["isLiveDataset"].(bool)
	c.rule(d["isLiveDataset"] == nil || boolean, "Modified and Added Properties: isLiveDataset is %v", d["isLiveDataset"])
	c.rule(d["citeAs"] == nil || strings.HasPrefix(text(d["citeAs"]), "@"), "Modified and Added Properties: citeAs is not BibTeX: %v", d["citeAs"])
	c.rule(semver.MatchString(text(d["version"])), "Dataset Versioning, Version: %v is not MAJOR.MINOR.PATCH", d["version"])
	for _, name := range []string{"dateModified", "dateCreated"} {
		c.rule(d[name] == nil || day(text(d[name])), "Dataset-level Information, Recommended: %s is %v", name, d[name])
	}
}

var (
	semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	sum    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	size   = regexp.MustCompile(`^[0-9]+( ?([KMGT]i?)?B)?$`)
	mime   = regexp.MustCompile(`^[a-z]+/[a-z0-9][a-z0-9.+-]*$`)
	shape  = regexp.MustCompile(`^(-1|[1-9][0-9]*)(,(-1|[1-9][0-9]*))*$`)
	path   = regexp.MustCompile(`^\$(\[\*\]|\.[A-Za-z][A-Za-z0-9]*)+$`)
)

// node records a node's ID and checks that the ID is unique, that the type is correct and
// that there is a name.
func (c *checker) node(o map[string]any, typ, parent string) string {
	id := text(o["@id"])
	c.rule(id != "", "ID and Reference Mechanism: a %s has no @id", typ)
	c.rule(c.ids[id] == "", "ID and Reference Mechanism: %q is there twice", id)
	c.rule(parent == "" || strings.HasPrefix(id, parent+"/"), "ID and Reference Mechanism: %q does not begin with %q", id, parent+"/")
	c.rule(c.expand(text(o["@type"])) == "http://mlcommons.org/croissant/"+typ, "%s: @type of %q is %v", typ, id, o["@type"])
	c.rule(text(o["name"]) != "", "%s: %q has no name", typ, id)
	c.ids[id] = typ
	return id
}

func (c *checker) file(o map[string]any) {
	id := c.node(o, "FileObject", "")
	c.rule(absolute(text(o["contentUrl"])), "FileObject: contentUrl of %q is %v", id, o["contentUrl"])
	c.rule(size.MatchString(text(o["contentSize"])), "FileObject: contentSize of %q is %v", id, o["contentSize"])
	c.rule(sum.MatchString(text(o["sha256"])), "Dataset Versioning, Checksums: sha256 of %q is %v", id, o["sha256"])
	formats := texts(o["encodingFormat"])
	c.rule(len(formats) > 0, "FileObject: %q has no encodingFormat", id)
	for _, f := range formats {
		c.rule(mime.MatchString(f), "FileObject: encodingFormat of %q is %s", id, f)
	}
	for _, s := range texts(o["sameAs"]) {
		c.rule(absolute(s) && s != text(o["contentUrl"]), "FileObject: sameAs of %q is %s", id, s)
	}
}

func (c *checker) records(o map[string]any) {
	id := c.node(o, "RecordSet", "")
	fields := objects(o["field"])
	c.rule(len(fields) > 0, "RecordSet: %q has no fields", id)
	sources := map[string]bool{}
	for _, f := range fields {
		sources[c.field(f, id)] = true
	}
	c.rule(len(sources) == 1, "Joins: %q has %d sources and no join", id, len(sources))
	for _, k := range objects(o["key"]) {
		c.refs = append(c.refs, "Field "+text(k["@id"]))
		c.rule(strings.HasPrefix(text(k["@id"]), id+"/"), "RecordSet: the key of %q is %v", id, k)
	}
}

// atomic lists the allowed value types.
var atomic = []string{"Boolean", "Date", "Time", "DateTime", "Float", "Integer", "Text"}

// field checks a field and returns the file that its values come from.
func (c *checker) field(o map[string]any, parent string) string {
	id := c.node(o, "Field", parent)
	types := texts(o["dataType"])
	plain := 0
	for _, t := range types {
		full := c.expand(t)
		c.rule(absolute(full), "DataType: %q has the type %s", id, t)
		if slices.Contains(atomic, strings.TrimPrefix(full, "https://schema.org/")) {
			plain++
		}
	}
	c.rule(plain > 0, "DataType: %q has no atomic type: %v", id, types)
	array, boolean := o["isArray"].(bool)
	c.rule(o["isArray"] == nil || boolean, "Field: isArray of %q is %v", id, o["isArray"])
	c.rule(o["arrayShape"] == nil || array && shape.MatchString(text(o["arrayShape"])), "Field: arrayShape of %q is %v", id, o["arrayShape"])

	source, _ := o["source"].(map[string]any)
	of, _ := source["fileObject"].(map[string]any)
	file := text(of["@id"])
	c.refs = append(c.refs, "FileObject "+file)
	extract, _ := source["extract"].(map[string]any)
	c.rule(len(extract) == 1, "DataSource, Extract: %q takes %v", id, extract)
	column, json := text(extract["column"]), text(extract["jsonPath"])
	c.rule(column != "" || path.MatchString(json), "DataSource, Extract: %q takes %v", id, extract)
	return file
}

// terms checks that every property name is defined, either in the context or,
// because the context's vocabulary is schema.org, in schema.org.
func (c *checker) terms(v any, at string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			c.terms(e, at)
		}
	case map[string]any:
		for name, e := range v {
			if name == "@context" {
				continue
			}
			_, own := c.context[name]
			known := own || strings.HasPrefix(name, "@") || slices.Contains(schemaOrg, name)
			c.rule(known, "Appendix 1, JSON-LD context: nothing says what %s/%s means", at, name)
			c.terms(e, at+"/"+name)
		}
	}
}

// schemaOrg lists the schema.org properties that descriptions use.
var schemaOrg = []string{"name", "description", "url", "license", "creator", "keywords", "version", "datePublished", "dateModified",
	"inLanguage", "isAccessibleForFree", "isBasedOn", "distribution", "contentUrl", "contentSize", "encodingFormat", "sha256", "sameAs",
	"subjectOf", "identifier", "text"}

// expand expands a compact name.
func (c *checker) expand(name string) string {
	prefix, local, ok := strings.Cut(name, ":")
	if base := text(c.context[prefix]); ok && base != "" {
		return base + local
	}
	if !ok && name != "" {
		return text(c.context["@vocab"]) + name
	}
	return name
}

// iri returns the IRI of a term in the context.
func (c *checker) iri(term string) string {
	if o, ok := c.context[term].(map[string]any); ok {
		return c.expand(text(o["@id"]))
	}
	return c.expand(text(c.context[term]))
}

func absolute(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func day(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// texts returns a string, or a list of strings, as a list.
func texts(v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		out = append(out, text(e))
	}
	return out
}

// objects returns an object, or a list of objects, as a list.
func objects(v any) []map[string]any {
	if o, ok := v.(map[string]any); ok {
		return []map[string]any{o}
	}
	list, _ := v.([]any)
	var out []map[string]any
	for _, e := range list {
		o, _ := e.(map[string]any)
		out = append(out, o)
	}
	return out
}
