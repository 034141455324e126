package yamlfmt

import (
	"bytes"

	"kindex/exports/store"

	"kindex/builder/content/schema"
)

// SourceYAML formats a source as an entry in the sources field of index.yaml.
func SourceYAML(s store.Source) string {
	item := &layout{kind: mapping}
	add := func(name, text string) {
		if text != "" {
			item.items = append(item.items, &layout{name: name, named: true, text: text})
		}
	}
	add("name", s.Name)
	add("url", s.URL)
	add("license", s.License)
	if len(s.Types) > 0 {
		types := &layout{name: "types", named: true, kind: sequence, flow: true}
		for _, t := range s.Types {
			types.items = append(types.items, &layout{text: t})
		}
		item.items = append(item.items, types)
	}
	add("changes", s.Changes)
	text := printLayout(&layout{kind: sequence, items: []*layout{item}}, new(schema.Part))
	return "  " + string(bytes.ReplaceAll(bytes.TrimRight(text, "\n"), []byte("\n"), []byte("\n  "))) + "\n"
}
