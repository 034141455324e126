package content_test

import (
	"cmp"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestFilesStayBesideTheirEntities sorts the entities and then compares their files' blob
// names with those that git calculates.
func TestFilesStayBesideTheirEntities(t *testing.T) {
	suite.InTest(t)
	dir := suite.Content(t)
	c, _, err := content.Load(dir, nil)
	suite.Check(t, err)
	slices.SortFunc(c.Entities, func(a, b *record.Entity) int {
		return cmp.Or(-cmp.Compare(a.Name, b.Name), record.CompareKey(a, b))
	})
	var paths []string
	for _, e := range c.Entities {
		paths = append(paths, filepath.Join(dir, e.Type, e.Slug+".yaml"))
	}
	cmd := exec.Command("git", "hash-object", "--no-filters", "--stdin-paths")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	out := suite.Must(cmd.Output())(t)
	names := strings.Fields(string(out))
	if len(names) != len(c.Entities) || len(names) == 0 {
		t.Fatalf("%d names by git, %d blobs", len(names), len(c.Entities))
	}
	for i, path := range paths {
		own := c.Blobs[c.Entities[i].Key()+".yaml"]
		suite.Equal(t, hex.EncodeToString(own[:]), names[i], path)
	}
}
