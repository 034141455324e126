package builder_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
)

// oldContent is content of version 0.8.2, with an edit, and oldExports is what a build exports of it.
const (
	oldContent = "testdata/old_content.txtar"
	oldExports = "testdata/old_exports.golden.txtar"
)

// oldFiles are the compared files of a build, in addition to its records.
var oldFiles = []string{"entities.csv", "entities.jsonl", "changelog.jsonl", "categories.json", "feed.json", "feed.xml"}

// TestOldContent builds content that has none of the fields that were added later, and checks that its
// exports change only on purpose: go test ./builder -run OldContent -update
func TestOldContent(t *testing.T) {
	suite.InTest(t)
	suite.Golden(t, oldExports, txtar.Format(exportsOfOldContent(t)))
}

// exportsOfOldContent builds the content, edits it and builds it again.
func exportsOfOldContent(t *testing.T) *txtar.Archive {
	t.Helper()
	a := suite.Must(txtar.ParseFile(oldContent))(t)
	content, out := filepath.Join(t.TempDir(), "content"), t.TempDir()
	var b *exports.Build
	for i, phase := range []string{"1/", "2/"} { // the second one is an edit
		for _, f := range a.Files {
			name, ok := strings.CutPrefix(f.Name, phase)
			if !ok {
				continue
			}
			suite.Write(t, content, map[string]string{name: string(f.Data)})
		}
		r := suite.Must(builder.Build(context.Background(), builder.Options{Content: content, Out: out, Keep: 3,
			AsOf: time.Date(2026, 10, 1+i, 0, 0, 0, 0, time.UTC)}))(t)
		b = built(t, r)
	}
	got := &txtar.Archive{}
	for _, name := range oldFiles {
		data, err := b.ReadFile(name)
		if name == "changelog.jsonl" {
			for i := range b.History().Changes() {
				data = append(append(data, b.History().ChangeLine(i)...), '\n')
			}
		}
		if len(data) == 0 || err != nil {
			t.Errorf("no %s: %v", name, err)
		}
		got.Files = append(got.Files, txtar.File{Name: name, Data: bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))})
	}
	var records []byte
	for o := range uint32(b.Len()) {
		records = append(append(records, b.Record(o)...), '\n')
	}
	got.Files = append(got.Files, txtar.File{Name: "records.jsonl", Data: records})
	return got
}
