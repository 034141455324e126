package yamlfmt

import (
	"strings"

	"kindex/builder/content/schema"
	"kindex/exports/kinds"
	"kindex/exports/store"
)

// SourceYAML formats a source as an entry in the sources field of index.yaml.
func SourceYAML(s store.Source) string {
	fields := map[string]any{}
	for name, text := range map[string]string{"name": s.Name, "url": s.URL, "license": s.License, "changes": s.Changes} {
		if text != "" {
			fields[name] = text
		}
	}
	if len(s.Types) > 0 {
		fields["types"] = s.Types
	}
	list, part := normalNode([]any{fields}), schema.Of(kinds.Default(), "index").Member("sources")
	order(list, part)
	chooseFlow(list, true, 0)
	text := strings.TrimRight(string(printFile(list, part)), "\n")
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}
