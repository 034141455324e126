package docs_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// series is an index to which new builds are published.
type series struct {
	t      *testing.T
	repo   string
	out    string
	reload func() error
}

// newSeries creates the first build, from some of the content for tests.
func newSeries(t *testing.T) *series {
	t.Helper()
	s := &series{t: t, repo: t.TempDir(), out: filepath.Join(t.TempDir(), "out")}
	s.git("init", "-q", "-b", "main")
	suite.CopyContent(t, filepath.Join(s.repo, "content"),
		suite.Pick([]string{"tool/pytorch", "tool/keras", "tool/einops", "tool/tensorlayer", "nlp", "embedding", "scientific-python"}, nil)...)
	edgetest.Commit(t, s.repo, 20)
	s.edit("tool/pytorch", "^name: .*", "name: PyTorch 2")
	edgetest.Commit(t, s.repo, 2)
	s.publish(0)
	return s
}

func (s *series) git(args ...string) {
	s.t.Helper()
	suite.Output(s.t, exec.Command("git", append([]string{"-C", s.repo}, args...)...))
}

// publish builds the committed content, with scores calculated for the given number of days
// from now.
func (s *series) publish(days int) {
	s.t.Helper()
	s.commit()
	o := builder.Options{Content: filepath.Join(s.repo, "content"), Out: s.out, AsOf: edgetest.Today().AddDate(0, 0, days), Keep: 3, AllowShrink: true}
	if _, err := builder.Build(s.t.Context(), o); err != nil {
		s.t.Fatal(err)
	}
}

// commit commits changes, if there are any.
func (s *series) commit() {
	s.t.Helper()
	out := suite.Must(exec.Command("git", "-C", s.repo, "status", "--porcelain").Output())(s.t)
	if len(out) > 0 {
		edgetest.Commit(s.t, s.repo, 0)
	}
}

func (s *series) path(entity string) string {
	return filepath.Join(s.repo, "content", entity+".yaml")
}

func (s *series) text(entity string) string {
	s.t.Helper()
	b := suite.Must(os.ReadFile(s.path(entity)))(s.t)
	return string(b)
}

func (s *series) write(entity, text string) {
	s.t.Helper()
	suite.Check(s.t, os.WriteFile(s.path(entity), []byte(text), 0o644))
}

// edit replaces the matches of a regular expression in an entity's file.
func (s *series) edit(entity, pattern, by string) {
	s.t.Helper()
	was := s.text(entity)
	now := regexp.MustCompile("(?m)"+pattern).ReplaceAllString(was, by)
	if was == now {
		s.t.Fatalf("%s has no %s:\n%s", entity, pattern, was)
	}
	s.write(entity, now)
}

func (s *series) remove(entity string) {
	s.t.Helper()
	suite.Check(s.t, os.Remove(s.path(entity)))
}

// rename changes the slug or the kind of an entity. If another entity already has the new address,
// that entity is deleted.
func (s *series) rename(from, to string) {
	s.t.Helper()
	text := strings.ReplaceAll(s.text(from), "\nformerly:", "\n# formerly:")
	s.write(to, text+"formerly: ["+from+"]\n")
	s.remove(from)
}

// inStep runs the recipe, and compares its copy with a new export.
func (s *series) inStep(p *place, after string) string {
	s.t.Helper()
	if err := p.edge.Reload(); err != nil {
		s.t.Fatalf("%s: %v", after, err)
	}
	said := p.must("python3", "sync.py")
	got, want := p.copied(), p.fresh()
	if len(got) != len(want) {
		s.t.Errorf("after %s the copy has %d entities, but the export %d", after, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			s.t.Fatalf("after %s the copy has\n%v\nand the export\n%v", after, got[i], want[i])
		}
	}
	return said
}

// copied returns the rows of the copy.
func (p *place) copied() []map[string]any {
	p.t.Helper()
	db := suite.Must(sql.Open("sqlite", filepath.Join(p.dir, "kindex.sqlite")))(p.t) // package edge registers the driver
	defer db.Close()
	column := func(query string) (values []string) {
		rows := suite.Must(db.Query(query))(p.t)
		defer rows.Close()
		for rows.Next() {
			values = append(values, "")
			suite.Check(p.t, rows.Scan(&values[len(values)-1]))
		}
		suite.Check(p.t, rows.Err())
		return values
	}
	fields := column(`SELECT format(iif(name IN ('tags', 'capabilities'), '''%s'', json(%s)', '''%s'', %s'), name, name) FROM pragma_table_info('listed')`)
	lines := column("SELECT json_object(" + strings.Join(fields, ", ") + ") FROM listed ORDER BY type, slug")
	return objects(p.t, []byte(strings.Join(lines, "\n")))
}

// TestSync checks that the recipe keeps a copy in sync over a series of builds, whether responses
// are interrupted or several copies of the recipe run at once.
func TestSync(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // building is disk-bound
	s := newSeries(t)
	s.breaks(t)
	p := startWith(t, edge.Options{Dir: s.out, LimitKey: 1000})
	if said := s.inStep(p, "the first build"); !regexp.MustCompile(`^\d{2,3} changes; build `).MatchString(said) {
		t.Error(said)
	}
	if said := s.inStep(p, "nothing"); said != "nothing new\n" {
		t.Error(said)
	}
	gone := s.text("tool/einops")
	day := 0
	for _, step := range []struct {
		what    string
		changes int
		do      func()
	}{
		{"edits of facts and figures", 2, func() {
			s.edit("tool/pytorch", `^description: .*`, "description: \"Ünïcode, commas and \\\"quotes\\\".\"")
			s.edit("tool/pytorch", `stars: \{value: \d+`, "stars: {value: 7")
			s.edit("tool/tensorlayer", `^license: .*\n`, "")
			s.edit("tool/tensorlayer", `^tags: .*\n`, "")
		}},
		{"a deletion and a new entity", 2, func() {
			s.remove("tool/einops")
			s.write("tool/brand-new", "name: Brand new\ndescription: Is new.\ncategory: ml-frameworks\n")
		}},
		{"a rename with an edit, and a re-creation", 2, func() {
			s.rename("tool/brand-new", "tool/brand-newest")
			s.edit("tool/brand-newest", "^name: .*", "name: Newest")
			s.write("tool/einops", gone)
		}},
		{"a deletion and a rename to its slug at once, and a withdrawal", 3, func() {
			s.remove("tool/keras")
			s.rename("tool/brand-newest", "tool/keras")
			s.write("tool/einops", gone+"status: withdrawn\n")
		}},
		{"the end of a withdrawal, and three commits, in which one comes, is renamed and goes", 4, func() {
			s.edit("tool/einops", "^status: .*\n", "")
			s.write("tool/fleeting", "name: Fleeting\ndescription: Comes and goes.\ncategory: ml-frameworks\n")
			s.commit()
			s.rename("tool/fleeting", "tool/fleeting-2")
			s.commit()
			s.remove("tool/fleeting-2")
		}},
		{"a move to another kind, and one with a rename", 2, func() {
			s.rename("tool/keras", "model/keras")
			s.rename("tool/tensorlayer", "model/tensorlayer-2")
		}},
		{"one that goes and comes back in one build, another formula and another day", 2, func() {
			s.remove("tool/einops")
			s.commit()
			s.write("tool/einops", gone)
			day++
			s.edit("scoring", `^version: .*`, "version: other")
			s.edit("scoring", `weight: 2\b`, "weight: 5")
		}},
	} {
		step.do()
		s.publish(day)
		if said, want := s.inStep(p, step.what), fmt.Sprintf("%d changes; build ", step.changes); !strings.HasPrefix(said, want) {
			t.Errorf("after %s: %s, want %s", step.what, said, want)
		}
	}
	s.rename("tool/einops", "tool/einops-2")
	s.publish(day)
	s.atOnce(p)
	s.rewrite()
	s.publish(day)
	if said := s.inStep(p, "a history that was rewritten"); !regexp.MustCompile(`^\d{2,3} changes`).MatchString(said) {
		t.Error(said)
	}
}

// rewrite replaces all commits with a single commit.
func (s *series) rewrite() {
	s.t.Helper()
	s.edit("tool/pytorch", "^name: .*", "name: Rewritten")
	s.git("checkout", "-q", "--orphan", "other")
}

// breaks interrupts both responses at several points, and checks that the copy stays unchanged.
func (s *series) breaks(t *testing.T) {
	defer func() { s.t = t }()
	for _, path := range []string{"/api/export/changelog", "/api/export/entities"} {
		t.Run(path, func(t *testing.T) {
			p := startWith(t, edge.Options{Dir: s.out, LimitKey: 1000}, edgetest.Cut(path, 500, 1))
			if said := p.fails("python3", "sync.py"); !strings.Contains(said, "EOFError") && !strings.Contains(said, "IncompleteRead") {
				t.Error(said)
			}
			if rows := p.copied(); len(rows) != 0 {
				t.Errorf("an interrupted run left %d rows", len(rows))
			}
			s.t = t
			s.inStep(p, "a run that broke")
		})
	}
}

// atOnce runs several copies of the recipe concurrently, after a build with one change.
func (s *series) atOnce(p *place) {
	s.t.Helper()
	suite.Check(s.t, p.edge.Reload())
	var outs [4]bytes.Buffer
	var cmds []*exec.Cmd
	for i := range outs {
		cmd := p.command("python3", "sync.py")
		cmd.Stdout, cmd.Stderr = &outs[i], &outs[i]
		suite.Check(s.t, cmd.Start())
		cmds = append(cmds, cmd)
	}
	changed := 0
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("%v: %s", err, outs[i].String())
		}
		changed += strings.Count(outs[i].String(), "1 changes; build")
	}
	if changed != 1 {
		s.t.Errorf("%d runs applied the change: %v", changed, outs)
	}
	s.inStep(p, "four runs at once")
}
