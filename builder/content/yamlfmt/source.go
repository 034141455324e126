package yamlfmt

import (
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/store"
)

// SourceYAML formats a source as an entry in the sources field of index.yaml.
func SourceYAML(s store.Source) string {
	item := &yamldoc.Node{Kind: yamldoc.Mapping}
	add := func(name string, n yamldoc.Node) {
		if n.Text != "" || len(n.Items) > 0 {
			n.Name, n.Named = name, true
			item.Items = append(item.Items, &n)
		}
	}
	types := yamldoc.Node{Kind: yamldoc.Sequence, Flow: true}
	for _, t := range s.Types {
		types.Items = append(types.Items, &yamldoc.Node{Text: t})
	}
	add("name", yamldoc.Node{Text: s.Name})
	add("url", yamldoc.Node{Text: s.URL})
	add("license", yamldoc.Node{Text: s.License})
	add("types", types)
	add("changes", yamldoc.Node{Text: s.Changes})
	text := printFile(&yamldoc.Node{Kind: yamldoc.Sequence, Items: []*yamldoc.Node{item}}, new(schema.Part))
	return "  " + strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\n  ") + "\n"
}
