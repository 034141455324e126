package pages_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/site/pages"
)

const fileLine = `<th scope="row"><a href="([^"]*)" download>[^<]*</a></th><td>[^<]*</td><td class="right num" title="[0-9,]+ bytes">[^<]+</td><td><code class="sum" title="[0-9a-f]{64}" data-sum>[0-9a-f]{64}</code>`

// TestData checks that the page lists exactly the build's public files, each once, with
// its size, checksum and link.
func TestData(t *testing.T) {
	b := browse(t, edgetest.Built(t), pages.Options{})
	page := b.page("/data/")
	links := all(page, fileLine)
	listed := map[string]bool{}
	for _, l := range links {
		listed[l] = true
	}
	public := 0
	for _, f := range b.build.Manifest.Files {
		to := "/data/" + b.build.Manifest.ID + "/" + f.Path
		if strings.HasPrefix(f.Path, "lookup/") {
			if listed[to] {
				t.Errorf("%s is listed", f.Path)
			}
			continue
		}
		public++
		line := fmt.Sprintf(`<a href="%s" download>%s</a></th><td>`, to, f.Path)
		at := strings.Index(page, line)
		if at < 0 {
			t.Errorf("%s is not listed", f.Path)
			continue
		}
		row := page[at:]
		row = row[:strings.Index(row, "</tr>")]
		size := strings.ReplaceAll(all(row, `title="([0-9,]+) bytes"`)[0], ",", "")
		if size != fmt.Sprint(f.Size) || strings.Count(row, f.SHA256) != 2 || strings.Contains(row, "<td></td><td class=") {
			t.Errorf("%s is listed as %s", f.Path, row)
		}
	}
	if public != len(links) || public < 30 {
		t.Errorf("%d lines, %d public files", len(links), public)
	}
	if !strings.Contains(page, "/data/"+b.build.Manifest.ID+"/"+store.ManifestFile) {
		t.Error("the manifest is not linked to")
	}
	for _, cited := range []string{"Build " + b.build.Manifest.ID + ". ", "@misc{kindex-" + b.build.Manifest.ID + ", title = {{"} {
		suite.Contains(t, page, cited)
	}
	for _, s := range b.build.Manifest.Sources {
		if !strings.Contains(page, s.Name) || !strings.Contains(page, s.License) {
			t.Errorf("%s is not credited", s.Name)
		}
	}
}

// TestDataRecipes runs the commands shown on the page against a file server.
func TestDataRecipes(t *testing.T) {
	suite.InTest(t)
	b := browse(t, edgetest.Built(t), pages.Options{})
	files := httptest.NewServer(http.StripPrefix("/data/"+b.build.Manifest.ID, http.FileServer(http.Dir(b.build.Dir))))
	defer files.Close()
	a := suite.Must(b.Get(pages.Request{Path: "/data/", Base: files.URL}))(t)
	dir := t.TempDir()
	for recipe, command := range map[string][]string{"sh": {"bash", "-euo", "pipefail", "-c"}, "python": {"python3", "-c"}} {
		blocks := all(string(a.Body), `(?s)<code data-recipe="`+recipe+`">(.*?)</code>`)
		if len(blocks) != 1 {
			t.Fatalf("%d recipes for %s", len(blocks), recipe)
		}
		if _, err := exec.LookPath(command[0]); err != nil {
			suite.Missing(t, command[0])
		}
		cmd := exec.Command(command[0], append(command[1:], blocks[0])...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "no_proxy=*")
		out := suite.Output(t, cmd)
		want := "entities.parquet: OK"
		if recipe == "python" {
			want = fmt.Sprintf("%d entities, the first is ", b.build.Manifest.Counts.Entities)
		}
		suite.Contains(t, out, want, recipe)
	}
	got, err := os.ReadFile(filepath.Join(dir, "entities.parquet"))
	want, _ := b.build.ReadFile("entities.parquet")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the downloaded file differs: %v", err)
	}
}

// TestGuides checks that every guide is a page, and that links within the documentation
// lead to existing pages and headings.
func TestGuides(t *testing.T) {
	for _, o := range []pages.Options{{}, {Static: true, Root: "/index/"}} {
		b := browse(t, edgetest.Built(t), o)
		root := strings.TrimSuffix(o.Root, "/")
		guides := all(b.page("/docs/"), `<h3><a href="`+root+`(/docs/[^"]*/)"`)
		files, err := filepath.Glob(filepath.Join(suite.Root(t), "site/docs/*.md"))
		// README.md is the list of guides and not a page. The two clients and the formula are
		// pages.
		if err != nil || len(guides) != len(files)-1+2+1 {
			t.Errorf("%d guides of %d files: %q, %v", len(guides), len(files), guides, err)
		}
		anchors := 0
		for _, address := range append(guides, "/docs/") {
			page := b.page(address)
			main := page[strings.Index(page, "<main"):strings.Index(page, "</main>")]
			if strings.Contains(main, "style=") || strings.Count(main, "<h1") != 1 {
				t.Errorf("%s has a style, or %d titles", address, strings.Count(main, "<h1"))
			}
			for _, to := range all(main, `href="([^"]*)"`) {
				path, heading, _ := strings.Cut(to, "#")
				if strings.Contains(path, "://") || strings.HasPrefix(path, root+"/data/") || !o.Static && (path == "/docs/api" || strings.HasPrefix(path, "/api/")) {
					continue
				}
				if path == "" {
					path = root + address
				}
				inside, ok := strings.CutPrefix(path, root)
				if target := b.page(inside); !ok || heading != "" && !strings.Contains(target, `id="`+heading+`"`) {
					t.Errorf("%s links to %s, which does not exist", address, to)
				}
				if heading != "" {
					anchors++
				}
			}
		}
		if anchors < 40 {
			t.Errorf("only %d links to headings", anchors)
		}
	}
}

// TestFieldReference checks that guides link to the documentation of the content if there
// is a repository, and otherwise have no link to it.
func TestFieldReference(t *testing.T) {
	for address, repository := range map[string]*store.Repository{"": nil, "https://forge.example/a/b/blob/main/content/README.md": {URL: "https://forge.example/a/b", Branch: "main", Path: "content"}} {
		b := browse(t, edgetest.Built(t), pages.Options{})
		b.build.Manifest.Repository = repository
		if page := b.page("/docs/"); address != "" && !strings.Contains(page, `href="`+address+`"`) || strings.Contains(page, "README.md") != (address != "") {
			t.Errorf("the docs do not link to %q", address)
		}
	}
}

// TestScoringPage checks that the page shows every dimension and measure in the formula
// with its numbers.
func TestScoringPage(t *testing.T) {
	b := browse(t, edgetest.Built(t), pages.Options{})
	page := b.page("/docs/scoring/")
	numbers := strings.NewReplacer(",", "")
	for typ, f := range b.formula.Types {
		for name, d := range f.Dimensions {
			at := strings.Index(page, fmt.Sprintf(`id="%s-%s"`, typ, name))
			if at < 0 {
				t.Errorf("%s of %ss is not explained", name, typ)
				continue
			}
			table := page[at:]
			rows := strings.Split(table[strings.Index(table, "<tbody>"):strings.Index(table, "</table>")], "</tr>")
			if len(rows) != len(d.Measures)+1 {
				t.Errorf("%s of %ss has %d measures, want %d", name, typ, len(rows)-1, len(d.Measures))
			}
			for i, m := range d.Measures {
				for _, want := range measureNumbers(m) {
					if !strings.Contains(numbers.Replace(html.UnescapeString(rows[i])), want) {
						t.Errorf("%s of %ss: %q is not in %s", name, typ, want, rows[i])
					}
				}
			}
		}
	}
}

func measureNumbers(m score.Measure) []string {
	want := []string{fmt.Sprintf(`<td class="right num">%v</td>`, m.Weight)}
	switch m.Map {
	case "log":
		want = append(want, fmt.Sprintf("ln(1 + %.0f)", m.Full))
	case "linear":
		want = append(want, strings.Replace(fmt.Sprintf("%v earns 0", *m.From), "-", "−", 1), fmt.Sprintf("%v earns 100", *m.To))
	case "age":
		want = append(want, fmt.Sprintf("%v days", m.HalfLife))
	}
	if m.StaleAfter > 0 {
		want = append(want, fmt.Sprintf("%v days", m.StaleAfter))
	}
	return want
}
