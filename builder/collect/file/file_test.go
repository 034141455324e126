package file_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/file"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

const mapping = "testdata/best-of.yaml"

// readList returns the rows of a list, with the names of their columns.
func readList(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	f := suite.Must(os.Open(path))(t)
	defer f.Close()
	all := suite.Must(csv.NewReader(f).ReadAll())(t)
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// repositories returns the repository of each row, without those that are only links to lists.
func repositories(rows []map[string]string) (ids []string) {
	seen := map[string]bool{}
	for _, row := range rows {
		id := row["updated_github_id"]
		if id == "" {
			id = row["github_id"]
		}
		if id != "" && !seen[strings.ToLower(id)] {
			seen[strings.ToLower(id)] = true
			ids = append(ids, id)
		}
	}
	return ids
}

func open(t *testing.T, path, day string) *collect.Source {
	t.Helper()
	return suite.Must(file.New(kinds.Default(), collect.FileConfig{Name: "best-of", Path: path, Map: mapping, Date: day}, ""))(t)
}

// github matches what the list has as the name of a repository.
var github = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`)

// hold gives an entity figures that its file has.
func hold(t *testing.T, o collect.Options, ids []string, figures map[string]string) {
	t.Helper()
	for i, id := range ids {
		more, ok := figures[id]
		if !ok {
			continue
		}
		path := filepath.Join(o.Content, "tool", fmt.Sprintf("e%d.yaml", i))
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, append(text, []byte("signals:\n"+more)...), 0o666)
		}
		suite.Check(t, err)
	}
}

// Rows that are known to be wrong are stopped, and all others are written. In the first list,
// GitHub did not answer for seven projects: CuPy then got the stars of Docker Hub, and
// sklearn-evaluation three stars from elsewhere.
func TestRowsKnownToBeWrong(t *testing.T) {
	for _, c := range []struct {
		list, day string
		held      map[string]string
		stopped   []string // repository and value
	}{
		{"best-of-ml.csv", "2026-07-16", map[string]string{
			"cupy/cupy":                     "  stars: {value: 7893, date: 2024-06-06}\n",
			"edublancas/sklearn-evaluation": "  stars: {value: 440, date: 2024-06-06}\n",
			"PaddlePaddle/PaddleHub":        "  stars: {value: 12563, date: 2024-06-06}\n",
			"fastai/fastai":                 "  contributors: {value: 667, date: 2024-06-06}\n",
			"EpistasisLab/tpot":             "  contributors: {value: 121, date: 2024-06-06}\n",
		}, []string{"EpistasisLab/tpot contributors", "PaddlePaddle/PaddleHub stars", "cupy/cupy stars",
			"edublancas/sklearn-evaluation contributors", "edublancas/sklearn-evaluation lastCommit", "edublancas/sklearn-evaluation license",
			"edublancas/sklearn-evaluation stars", "fastai/fastai contributors"}},
		{"best-of-jupyter.csv", "2026-04-30", nil, []string{"ShopRunner/jupyter-notify", "dnanhkhoa/nb_black", "jupyter-naas/naas", "jupyterlab/jupyterlab",
			"orbrx/jupyter-marketplace", "plotly/jupyterlab-chart-editor", "uktrade/fargatespawner"}},
	} {
		t.Run(c.list, func(t *testing.T) {
			path := filepath.Join("testdata", c.list)
			rows := readList(t, path)
			ids := repositories(rows)
			o := collecttest.Options(t, open(t, path, c.day), "tool", "github", ids...)
			hold(t, o, ids, c.held)
			_, r := collecttest.Run(t, o)
			var got []string
			for _, s := range r.Stopped {
				var n int
				_, _ = fmt.Sscanf(s.Entity, "tool/e%d", &n)
				name := ids[n]
				if c.held != nil {
					name += " " + s.Name
				}
				got = append(got, name)
				t.Logf("%s %s = %v: %s", ids[n], s.Name, s.Found, s.Reason)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, c.stopped) {
				t.Errorf("stopped\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.stopped, "\n"))
			}
			checkWritten(t, rows, ids, r)
			if _, again := collecttest.Run(t, o); again.Files != 0 || len(again.Stopped) != len(r.Stopped) {
				t.Errorf("a second run changes %d files", again.Files)
			}
		})
	}
}

// checkWritten compares the changes with the list, read without the program: every star count
// of a whole row, and only these, unless a guard stopped it.
func checkWritten(t *testing.T, rows []map[string]string, ids []string, r *collect.Report) {
	t.Helper()
	want := map[string]string{}
	for _, row := range rows {
		id := row["updated_github_id"]
		if id == "" {
			id = row["github_id"]
		}
		if row["fork_count"] != "" && row["last_commit_pushed_at"] != "" && row["star_count"] != "" && id != "" {
			if want[strings.ToLower(id)] == "" { // of several rows, the first one counts
				want[strings.ToLower(id)] = strings.TrimSuffix(row["star_count"], ".0")
			}
		}
	}
	at := func(entity string) string {
		var n int
		_, _ = fmt.Sscanf(entity, "tool/e%d", &n)
		return strings.ToLower(ids[n])
	}
	for _, s := range r.Stopped {
		if s.Name == "stars" {
			delete(want, at(s.Entity))
		}
	}
	for _, c := range r.Changes {
		if c.Name != "stars" {
			continue
		}
		if got := fmt.Sprintf("%.0f", c.New); want[at(c.Entity)] != got {
			t.Errorf("%s has %s stars, want %q", at(c.Entity), got, want[at(c.Entity)])
		}
		delete(want, at(c.Entity))
	}
	if len(want) > 0 {
		t.Errorf("not written: %v", want)
	}
}

// writeList writes a list and a mapping, and opens them.
func writeList(t *testing.T, list, mapping string) (*collect.Source, error) {
	t.Helper()
	dir := t.TempDir()
	suite.Write(t, dir, map[string]string{"list.csv": list, "map.yaml": mapping})
	return file.New(kinds.Default(), collect.FileConfig{Name: "list", Path: filepath.Join(dir, "list.csv"), Map: filepath.Join(dir, "map.yaml")}, "")
}

// TestDeclaredSignals collects the figures and days of an index of something else.
func TestDeclaredSignals(t *testing.T) {
	const declarations = "signals:\n  firings: {type: count, title: Firings, grows: true}\n  lastFiring: {type: date, title: Last firing}\n" +
		"kinds:\n  glaze: {title: Glaze, plural: Glazes, description: Glazes, signals: [firings, lastFiring]}\n"
	declared := suite.Must(kinds.Parse([]byte(declarations)))(t)
	dir := t.TempDir()
	suite.Write(t, dir, map[string]string{"list.csv": "slug,n,day\ne0,1200,2026-11-01\ne1,5,2026-13-01\n",
		"map.yaml": "source: {name: G, url: https://g.example/, license: CC0-1.0, date: 2026-11-20}\ntype: glaze\nslug: slug\nsignals: {firings: n, lastFiring: day}\n"})
	s := suite.Must(file.New(declared, collect.FileConfig{Name: "list", Path: filepath.Join(dir, "list.csv"), Map: filepath.Join(dir, "map.yaml")}, ""))(t)
	o := collecttest.Options(t, s, "glaze", "github", "x/e0", "x/e1")
	suite.Write(t, o.Content, map[string]string{"kinds.yaml": declarations})
	lines, r := collecttest.Run(t, o)
	collecttest.Want(t, lines, "e0 firings 1200", "e0 lastFiring 2026-11-01",
		`e1 failed: signals.lastFiring (column day): "2026-13-01" is a date that does not exist`, "e1 firings 5")
	if !r.Routine || r.Files != 2 {
		t.Errorf("%+v", r)
	}
	var probed strings.Builder
	if err := collect.Probe(t.Context(), o, "list", "glaze/e1", &probed); err != nil || !strings.Contains(probed.String(), "firings: 5 (https://g.example/)") {
		t.Errorf("probe: %v\n%s", err, probed.String())
	}
}

const small = "type: tool\nslug: repo\nids: {github: repo}\nsignals:\n  stars: {value: star_count, date: day, source: page}\n  dockerPulls: {value: {column: pulls, optional: true}, source: page}\n"

func TestOddLists(t *testing.T) {
	const head = "repo,star_count,day,page,dockerhub_stars\n"
	const page = ",https://example.org/a,"
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"a figure of another registry":  {"own/a,140,2026-11-01" + page + "140", []string{"e0 stopped stars 140"}},
		"its own figure":                {"own/a,140,2026-11-01" + page + "7", []string{"e0 stars 140"}},
		"no figure":                     {"own/a,,2026-11-01" + page, nil},
		"a word":                        {"own/a,many,2026-11-01" + page, []string{`e0 failed: signals.stars (column star_count): "many" is not a number …`}},
		"a day in the future":           {"own/a,140,2027-11-01" + page, []string{"e0 stopped stars 140"}},
		"no source":                     {"own/a,140,2026-11-01,,", []string{"e0 stopped stars 140"}},
		"an address that is none":       {"own/a,140,2026-11-01,javascript:alert(1),", []string{"e0 stopped stars 140"}},
		"twice, and the first counts":   {"own/a,140,2026-11-01" + page + "\nOWN/A,150,2026-11-01" + page, []string{"e0 stars 140"}},
		"too many cells":                {"own/a,140,2026-11-01" + page + ",1,2,3", nil},
		"something that nobody indexes": {"own/b,140,2026-11-01" + page, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := suite.Must(writeList(t, head+c.rows+"\n", small))(t)
			lines, _ := collecttest.Run(t, collecttest.Options(t, s, "tool", "github", "own/a"))
			collecttest.Want(t, lines, c.want...)
		})
	}
	s := suite.Must(writeList(t, "a,b\n", small))(t)
	if err := s.Read(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "star_count") {
		t.Errorf("a list without the columns: %v", err)
	}
	if _, err := writeList(t, head, "type: tool\n"); err == nil {
		t.Error("a mapping without anything is accepted")
	}
}

// The whole lists, where they are at hand.
func TestCollections(t *testing.T) {
	dir := filepath.Join(suite.Collections(t), "data", "fresh", "tools")
	lists, err := filepath.Glob(filepath.Join(dir, "best-of-*.csv"))
	if err != nil || len(lists) == 0 {
		suite.CannotRun(t, "there are no lists in "+dir)
	}
	for _, path := range lists {
		t.Run(filepath.Base(path), func(t *testing.T) {
			rows := slices.DeleteFunc(readList(t, path), func(row map[string]string) bool { return !github.MatchString(row["github_id"]) })
			ids := repositories(rows)
			day := filepath.Base(path)
			day = strings.TrimSuffix(day[len(day)-len("2026-07-16.csv"):], ".csv")
			o := collecttest.Options(t, open(t, path, day), "tool", "github", ids...)
			_, r := collecttest.Run(t, o)
			checkWritten(t, rows, ids, r)
			for _, s := range r.Stopped {
				t.Logf("%s %s = %v: %s", s.Entity, s.Name, s.Found, s.Reason)
			}
			t.Logf("%+v", r.Sources[0])
			if _, again := collecttest.Run(t, o); again.Files != 0 {
				t.Errorf("a second run changes %d files", again.Files)
			}
		})
	}
}
