package content_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// loadedEntities returns the entities of a folder without the data about their files.
func loadedEntities(l *builder.Loaded) (list []record.Entity) {
	for _, e := range l.Entities {
		list = append(list, *e)
	}
	return list
}

// randomEdit creates, changes or removes a few files. Names, former slugs and successors collide often.
func randomEdit(t *testing.T, r *rand.Rand, dir string) {
	t.Helper()
	for range 1 + r.IntN(4) {
		name := fmt.Sprintf("%s/e%d.yaml", kinds.Default().Names()[r.IntN(len(kinds.Default().Names()))], r.IntN(12))
		path := filepath.Join(dir, name)
		if r.IntN(3) == 0 {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			continue
		}
		text := fmt.Sprintf("name: N%d\ncategory: c%d\ndescription: D.\n", r.IntN(8), r.IntN(3))
		switch r.IntN(5) {
		case 0:
			text += fmt.Sprintf("formerly: [e%d]\n", r.IntN(12))
		case 1:
			text += fmt.Sprintf("lifecycle: {replacedBy: model/e%d}\n", r.IntN(12))
		case 2:
			text += "nonsense: 1\n"
		case 3:
			text = fmt.Sprintf("name: N %d\ncategory: c1\ndescription: D.\nlinks: {repository: 'https://github.com/a/r', package: 'https://pypi.org/project/p%d'}\n", r.IntN(3), r.IntN(4))
		}
		suite.Write(t, dir, map[string]string{name: text})
		at := time.Unix(r.Int64N(1e9), 0) // another one each time, however fast the edits follow each other
		suite.Check(t, os.Chtimes(path, at, at))
	}
}

// TestFolderLikeLoad edits a folder at random. After each edit, a folder that parses only the changed
// files has the same entities and problems as one that parses all files, and what it returned earlier is
// unchanged.
func TestFolderLikeLoad(t *testing.T) {
	suite.InTest(t)
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	suite.Write(t, dir, map[string]string{"model/first.yaml": "name: First\ncategory: c0\ndescription: D.\n"})
	f := content.Open(dir)
	var earlier *builder.Loaded
	var before []record.Entity
	for i := range 150 {
		f.Trust = i%2 == 0
		randomEdit(t, r, dir)
		want, wantProblems, err := builder.LoadContent(dir, nil)
		suite.Check(t, err)
		got, problems, err := builder.LoadFolder(f, nil)
		suite.Check(t, err)
		if earlier != nil {
			if !reflect.DeepEqual(loadedEntities(earlier), before) {
				t.Fatal("reading the folder has changed a snapshot")
			}
		}
		if earlier, before = got, loadedEntities(want); !sameProblems(problems, wantProblems) {
			t.Fatalf("problems\n%s\nwant\n%s", problems, wantProblems)
		}
	}
	if !reflect.DeepEqual(loadedEntities(earlier), before) || len(before) == 0 {
		t.Fatalf("%d entities, want %d", len(earlier.Entities), len(before))
	}
}

func sameProblems(a, b yamldoc.Problems) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// TestTrust checks that a change that keeps the size and the time of a file is found once Trust is not set.
func TestTrust(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		suite.Write(t, dir, map[string]string{"model/first.yaml": "name: " + name + "\ncategory: c0\ndescription: D.\n"})
		suite.Check(t, os.Chtimes(filepath.Join(dir, "model/first.yaml"), time.Unix(1, 0), time.Unix(1, 0)))
	}
	f := content.Open(dir)
	for _, step := range []struct {
		written, found string
		trust          bool
	}{{"First", "First", true}, {"Other", "First", true}, {"Other", "Other", false}, {"Longer", "Longer", true}} {
		write(step.written)
		f.Trust = step.trust
		if c, _, err := f.Load(nil); err != nil || c.Entities[0].Name != step.found {
			t.Errorf("after %s: %v %v, want %s", step.written, c.Entities, err, step.found)
		}
	}
}

// TestKindsBecomeALink checks that a kinds.yaml that becomes a link while the folder is watched is reported, and that the
// kinds declared before stay: otherwise, every entity of them would be a mistake, too.
func TestKindsBecomeALink(t *testing.T) {
	dir := t.TempDir()
	file, moved := filepath.Join(dir, content.KindsFile), filepath.Join(dir, "elsewhere.txt")
	suite.Write(t, dir, map[string]string{content.KindsFile: "kinds:\n  glaze: {title: Glaze, plural: Glazes, description: Glazes.}\n",
		"glaze/celadon.yaml": "name: Celadon\ncategory: stoneware\ndescription: Green.\n"})
	f := content.Open(dir)
	c, _, err := f.Load(nil)
	suite.Check(t, err)
	suite.Check(t, os.Rename(file, moved))
	suite.Check(t, os.Symlink(moved, file))
	after, problems, err := f.Load(nil)
	suite.Check(t, err)
	if after.Kinds != c.Kinds || c.Kinds.Kind("glaze") == nil {
		t.Error("the kinds are others")
	}
	if !problems.HasErrors() {
		t.Error("the link is not reported")
	}
}
