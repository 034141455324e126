package feed_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"kindex/builder/suite"
	"kindex/exports/feed"
)

// site is the folder whose node_modules contain third-party parsers.
const site = "../../site"

// files writes a feed in all formats.
func files(t *testing.T, f *feed.Feed) map[string]string {
	t.Helper()
	dir, paths := t.TempDir(), map[string]string{}
	for _, format := range feed.Formats {
		paths[format] = filepath.Join(dir, "feed."+format)
		suite.Check(t, os.WriteFile(paths[format], write(t, f, format), 0o644))
	}
	return paths
}

// TestReadByOthers compares what third-party parsers read with the feed that was
// written.
func TestReadByOthers(t *testing.T) {
	suite.InTest(t)
	suite.NodeModules(t, "feedsmith")
	f := sampleOfAll()
	paths := files(t, f)
	cmd := exec.Command("node", "testdata/read.mjs", site, paths["rss"], paths["atom"], paths["json"])
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var found []struct {
		Title, Description, Language string
		Updated                      time.Time
		Links                        map[string]string
		Items                        []newsOut
	}
	suite.Check(t, json.Unmarshal(out, &found))
	for i, format := range feed.Formats {
		got := found[i]
		if got.Title != f.Title || got.Description != f.Description || got.Language != "en" {
			t.Errorf("%s: title %q, description %q, language %q", format, got.Title, got.Description, got.Language)
		}
		links := map[string]string{"alternate": "https://index.example.org", "self": f.Self, "next": f.Next}
		if format != "json" {
			links["first"], links["last"], links["previous"] = f.First, f.Last, f.Previous
			if want := f.Weeks[0].End; !got.Updated.Equal(want) {
				t.Errorf("%s: updated %v, want %v", format, got.Updated, want)
			}
		}
		if !maps.Equal(got.Links, links) {
			t.Errorf("%s: links %v, want %v", format, got.Links, links)
		}
		checkItems(t, format, f, got.Items)
	}
}

// checkItems takes the expected content from the JSON Feed, which the golden file
// covers. The fuzz test checks that the other formats have the same content.
func checkItems(t *testing.T, format string, f *feed.Feed, items []newsOut) {
	t.Helper()
	if len(items) != len(f.Changes)+len(f.Weeks) {
		t.Fatalf("%s: %d items of %d", format, len(items), len(f.Changes)+len(f.Weeks))
	}
	items = checkWeeks(t, f, items)
	written := readJSON(t, write(t, f, "json"))
	written.Items = written.Items[1:]
	for i, c := range f.Changes {
		want := newsOut{
			ID: "urn:kindex:change:" + c.ID, URL: "https://index.example.org/" + c.Key() + "/",
			Title: news[len(news)-1-i].title, Content: written.Items[i].Content, Made: c.Timestamp, Tags: []string{c.Type},
		}
		if c.Author != "" {
			want.Authors = []person{{c.Author}}
		}
		if !reflect.DeepEqual(items[i], want) {
			t.Errorf("%s, item %d:\n%+v, want\n%+v", format, i, items[i], want)
		}
	}
}

// TestSchema validates the JSON Feed against a third-party schema.
func TestSchema(t *testing.T) {
	path := filepath.Join(suite.NodeModules(t, "jsonfeed-schema"), "jsonfeed-schema", "schema-v1.1.json")
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema := suite.Must(c.Compile(path))(t)
	for name, f := range map[string]*feed.Feed{"news": sampleOfAll(), "empty": {}} {
		var doc any
		suite.Check(t, json.Unmarshal(write(t, f, "json"), &doc))
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schema.Validate(map[string]any{"version": "https://jsonfeed.org/version/1.1", "title": "no items"}) == nil {
		t.Error("the schema accepts a feed without items")
	}
}

// TestWellFormed parses the documents with libxml2, which checks namespaces and
// forbidden characters.
func TestWellFormed(t *testing.T) {
	if _, err := exec.LookPath("xmllint"); err != nil {
		suite.Missing(t, "xmllint")
	}
	paths := files(t, sampleOfAll())
	for _, format := range []string{"rss", "atom"} {
		out, err := exec.Command("xmllint", "--nonet", "--noout", paths[format]).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("xmllint on %s: %v\n%s", format, err, out)
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.xml")
	suite.Check(t, os.WriteFile(broken, []byte("<rss><atom:link/>\x01</rss>"), 0o644))
	if out, err := exec.Command("xmllint", "--nonet", "--noout", broken).CombinedOutput(); err == nil {
		t.Errorf("xmllint accepts a broken document: %s", out)
	}
}
