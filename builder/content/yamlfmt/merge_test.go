package yamlfmt_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// FuzzMerge checks that Merge either refuses a file, or sets the requested values without
// losing a comment or another field. Merging the same values again must not change anything.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("name: X\ncategory: c\ndescription: >\n  d\n  e\n\nversion: 1.10\ntags: [a,\n  b]\nlicense: MIT\n"), "MIT", int64(7))
	f.Add([]byte("# a\nname: X # b\ncategory: c\ndescription: d\nsignals:\n  # e\n  stars: # f\n    value: 3 # g\n    # h\n    date: 2026-01-01\n  forks: {value: 1}\n# i\n"), "x: y", int64(3))
	f.Fuzz(func(t *testing.T, data []byte, license string, stars int64) {
		e, _ := content.ParseEntity(kinds.Default(), "content/tool/x.yaml", "tool", "x", data)
		if e == nil || len(data) > 500 || stars < 0 || stars > 1<<50 {
			return
		}
		fields := map[string]any{"license": license, "signals": map[string]any{"stars": map[string]any{"value": stars}}}
		out, err := yamlfmt.Merge(kinds.Default(), "content/tool/x.yaml", data, fields)
		if err != nil {
			return
		}
		again, err := yamlfmt.Merge(kinds.Default(), "content/tool/x.yaml", out, fields)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("second update: %v\n%s", err, again)
		}
		merged, problems := content.ParseEntity(kinds.Default(), "content/tool/x.yaml", "tool", "x", out)
		if merged == nil {
			if _, alone := content.ParseEntity(kinds.Default(), "x", "tool", "x", []byte("name: x\ncategory: c\ndescription: d\nlicense: "+quote(license))); len(alone) == 0 {
				t.Fatalf("%v\n%s", problems, out)
			}
			return
		}
		if fact, ok := merged.Signals.Fact("stars"); !ok || fact.Number != float64(stars) || fact.Source != "" && !bytes.Contains(data, []byte("stars")) {
			t.Errorf("stars are %+v", fact)
		}
		isStars := func(f record.Fact) bool { return f.Name == "stars" }
		e.License, merged.License = "", ""
		e.Signals.Facts = slices.DeleteFunc(e.Signals.Facts, isStars)
		merged.Signals.Facts = slices.DeleteFunc(merged.Signals.Facts, isStars)
		e.Signals.Facts = append([]record.Fact{}, e.Signals.Facts...) // treat nil and empty alike
		merged.Signals.Facts = append([]record.Fact{}, merged.Signals.Facts...)
		if !reflect.DeepEqual(e, merged) {
			t.Errorf("another field changed\n%s\n%s", data, out)
		}
	})
}

// FuzzMergeRemoves checks that a removed field is gone, and that a file without the field stays as
// it is.
func FuzzMergeRemoves(f *testing.F) {
	f.Add([]byte("name: X\ncategory: c\ndescription: d\nlicense: MIT\nlinks: {homepage: https://a.example/}\nsignals:\n  # above\n  stars: {value: 3}\n"))
	f.Add([]byte("name: X\ncategory: c\ndescription: d\nlinks:\n  homepage: https://a.example/ # note\n  demo: https://b.example/\n"))
	f.Add([]byte("name: X\ncategory: c\ndescription: d\nsignals: {forks: {value: 1}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, _ := content.ParseEntity(kinds.Default(), "content/tool/x.yaml", "tool", "x", data)
		if e == nil || len(data) > 500 {
			return
		}
		out, err := yamlfmt.Merge(kinds.Default(), "content/tool/x.yaml", data, map[string]any{"license": nil, "links": map[string]any{"homepage": nil},
			"signals": map[string]any{"stars": nil, "forks": nil}})
		if err != nil {
			return // a comment would be lost
		}
		merged, problems := content.ParseEntity(kinds.Default(), "content/tool/x.yaml", "tool", "x", out)
		if merged == nil {
			t.Fatalf("%v\n%s", problems, out)
		}
		removed := func(f record.Fact) bool { return f.Name == "stars" || f.Name == "forks" }
		isHomepage := func(l record.Link) bool { return l.Name == "homepage" }
		if merged.License != "" || slices.ContainsFunc(merged.Signals.Facts, removed) || slices.ContainsFunc(merged.Links, isHomepage) {
			t.Errorf("not removed:\n%s", out)
		}
		e.License = ""
		e.Links = append([]record.Link{}, slices.DeleteFunc(e.Links, isHomepage)...)
		e.Signals.Facts = append([]record.Fact{}, slices.DeleteFunc(e.Signals.Facts, removed)...)
		merged.Links = append([]record.Link{}, merged.Links...) // treat nil and empty alike
		merged.Signals.Facts = append([]record.Fact{}, merged.Signals.Facts...)
		if !reflect.DeepEqual(e, merged) {
			t.Errorf("another field changed\n%s\n%s", data, out)
		}
	})
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestMergeDated checks that the value of a dated field never keeps the date or the source of
// another value, and that other values stay as they are written.
func TestMergeDated(t *testing.T) {
	declared := suite.Must(kinds.Parse([]byte("fields:\n  stock: {type: count, title: Stock, dated: true}\nsignals:\n  sold: {type: count, title: Sold}\n" +
		"kinds:\n  glaze: {title: Glaze, plural: Glazes, description: Glazes, fields: [stock], signals: [sold]}\n")))(t)
	const file = "name: X\nstock: {value: 1, date: 2026-01-01, source: https://a.example/}\nsignals:\n  sold: {value: 2, source: https://b.example/}\nweight: 70.0\n"
	fields := map[string]any{"stock": map[string]any{"value": 3}, "signals": map[string]any{"sold": map[string]any{"value": 4, "date": "2026-02-02"}}}
	out := suite.Must(yamlfmt.Merge(declared, "glaze/x.yaml", []byte(file), fields))(t)
	const want = "name: X\nstock:\n  value: 3\nsignals:\n  sold: {value: 4, date: 2026-02-02}\nweight: 70.0\n"
	suite.Equal(t, string(out), want)
	values := suite.Must(content.Fields([]byte(file)))(t)
	if _, made, err := yamlfmt.Apply(declared, values, fields); err != nil || made["stock"].(map[string]any)["value"] != int64(3) {
		t.Errorf("%v, %v", made, err)
	}
}
