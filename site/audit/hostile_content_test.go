package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// canary is part of everything that the attacker writes. An element, attribute, class or
// scheme that contains it does not come from a template.
const canary = "zqx"

// markup lists injection attempts for every context in a page.
var markup = []string{
	`<script>pwned='` + canary + `'</script><` + canary + ` on` + canary + `=1>`,
	`"><img src=x onerror=pwned=1 ` + canary + `=1><a href=` + canary + `:1>`,
	`' onmouseover='pwned=1' ` + canary + `='`,
	`</title></style></textarea></noscript></template></svg></math><` + canary + `><script>pwned=1</script>`,
	`]]>--><!--</script><script>pwned="` + canary + `"//`,
	`{{.}}{{template "` + canary + `"}}${pwned=1}<%= ` + canary + ` %>`,
	`';pwned=1;//";pwned=1;//\';}</style>*{background:url(javascript:pwned='` + canary + `')}`,
	`<svg/onload=pwned=1><math><` + canary + `><style>@import '//` + canary + `.example';</style>`,
	`&lt;script&gt;pwned=1&lt;/script&gt;&#60;` + canary + `&#62; &amp;quot;`,
	`<iframe srcdoc="<script>parent.pwned='` + canary + `'</script>"></iframe><base href=//` + canary + `.example/>`,
	"مرحبا שלום " + canary + " 👩‍👩‍👧‍👦 Z̸̡̢̛͍̣͔a̵l̶g̵o̸ ﷽ ꧅",
	`../../../../etc/` + canary + `?q=1&e=2#f%2f%2e%2e%00\\` + canary + `.example\`,
}

// wild lists strings that the content checks reject, but that pages must handle anyway.
var wild = []string{
	"\u202e" + canary + "\u2066 reversed \u2069\u200f\u061c",
	"zero\u200b\ufeff\u2060width\u00ad" + canary + "\u3164",
	canary + strings.Repeat("W", 2_000),
	canary + strings.Repeat(" many words", 200),
	"nul\x00" + canary + "\x1b[31m\x7f\u0085\u2028\u2029\r\n\ttab",
	canary + "\xff\xfe not text \xc3(",
	strings.Repeat("<b>", 700) + canary,
}

// addresses lists URLs that must not become links, or that attempt an injection.
var addresses = []string{
	`javascript:pwned='` + canary + `'`, `JaVaScRiPt:pwned='` + canary + `'`, "java\nscript:pwned='" + canary + "'", ` javascript:pwned='` + canary + `'`,
	`data:text/html,<script>pwned='` + canary + `'</script>`, `vbscript:` + canary, `blob:` + canary, `//` + canary + `.example/`, `/\` + canary + `.example`,
	`https://user:secret@` + canary + `.example/`, `https://` + canary + `.example/"onmouseover="pwned=1`, `http://` + canary + `.example/</script><script>pwned=1</script>`,
	`https://` + canary + `.example/` + strings.Repeat("a", 10_000), `https://[::1`, "", `file:///etc/` + canary, "https://" + canary + ".example/\u202egnp.exe",
}

// attacker provides strings: hostile ones, or the same number of harmless ones.
type attacker bool

func (a attacker) markup(i int) string {
	if !a {
		return fmt.Sprint("Plain words, of number ", i%len(markup))
	}
	return markup[i%len(markup)]
}

func (a attacker) wild(i int) string {
	if !a {
		return fmt.Sprint("Plain other words, of number ", i%len(wild))
	}
	return wild[i%len(wild)]
}

func (a attacker) address(i int) string {
	if !a {
		return fmt.Sprint("https://plain.example/", i%len(addresses))
	}
	return addresses[i%len(addresses)]
}

// hostileTools and hostileModels are the numbers of hostile entities. They are large enough
// for each field to contain every string of the attacker in some entity.
const (
	hostileTools  = 21
	hostileModels = 12
	spoiled       = 7  // the number of tools, counted from the first, that contain strings not allowed in content files
	goneHostile   = 19 // the first tool after those that contain each string of markup
	newlyNamed    = 20
)

// content writes valid content files to a repository, in which the commit authors also
// have hostile names.
func (a attacker) content(t testing.TB) string {
	t.Helper()
	repo := t.TempDir()
	dir := filepath.Join(repo, "content")
	a.write(t, dir, "index", map[string]any{"title": cutTo(a.markup(0), 100), "description": a.markup(3), "license": "MIT"})
	var categories []map[string]any
	for i := range 3 {
		categories = append(categories, map[string]any{"slug": fmt.Sprint("class-", i), "title": cutTo(a.markup(i), 100), "description": a.markup(i + 3)})
	}
	a.write(t, dir, "categories", map[string]any{"categories": categories})
	for round := range 2 {
		for i := range hostileTools {
			a.write(t, dir, fmt.Sprint("tool/n", i), a.entity(i, round))
		}
		for i := range hostileModels {
			e := a.entity(i+2, round)
			delete(e["signals"].(map[string]any), "stars")
			e["signals"].(map[string]any)["benchmarks"] = []map[string]any{
				{"name": a.markup(i), "value": 50 + i + round, "date": "2026-01-02", "source": "https://" + canary + ".example/" + fmt.Sprint(i)},
				{"name": a.markup(i+1) + " again", "value": 60, "date": "2026-01-02", "source": "https://" + canary + ".example/"}}
			a.write(t, dir, fmt.Sprint("model/m", i), e)
		}
		if round == 1 {
			suite.Check(t, errors.Join(os.Remove(filepath.Join(dir, fmt.Sprintf("tool/n%d.yaml", goneHostile))),
				os.Rename(filepath.Join(dir, fmt.Sprintf("tool/n%d.yaml", newlyNamed)), filepath.Join(dir, fmt.Sprintf("tool/n%d-renamed.yaml", newlyNamed)))))
		}
		a.commit(t, repo, round)
	}
	return dir
}

// entity returns the file of an entity.
func (a attacker) entity(i, round int) map[string]any {
	return map[string]any{
		"name": cutTo(a.markup(i), 200), "provider": cutTo(a.markup(i/2+round), 200), "description": a.markup(i + 2 + round), "category": fmt.Sprint("class-", (i+round)%3),
		"version": cutTo(a.markup(i+3+round), 100), "license": cutTo(a.markup(i/2+4), 200), "pricingModel": "free",
		"url":     "https://" + canary + ".example/?a=" + fmt.Sprint(i),
		"links":   map[string]any{"homepage": "https://" + canary + ".example/", "paper": "http://" + canary + `.example/'"<>`},
		"tags":    []string{"shared", fmt.Sprint("t", i%3)},
		"signals": map[string]any{"stars": map[string]any{"value": 1000*i + 10*round, "date": "2026-01-0" + fmt.Sprint(1+round), "source": "https://" + canary + ".example/"}},
	}
}

func cutTo(s string, most int) string {
	r := []rune(s)
	return string(r[:min(most, len(r))])
}

// write writes a file as JSON, which is also valid YAML.
func (a attacker) write(t testing.TB, dir, name string, value any) {
	t.Helper()
	path := filepath.Join(dir, name+".yaml")
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	suite.Check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), enc.Encode(value), os.WriteFile(path, []byte(b.String()), 0o644)))
}

// commit commits as an attacker.
func (a attacker) commit(t testing.TB, repo string, round int) {
	t.Helper()
	date := edgetest.Today().AddDate(0, 0, 3*round-5).Format(time.RFC3339)
	author := "GIT_AUTHOR_NAME=" + strings.NewReplacer("<", "‹", ">", "›").Replace(a.markup(round)) + a.markup(5) // git removes these characters from the end of a name
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", a.markup(round) + " (#12)\n\n" + a.markup(round+1)}} {
		cmd := exec.Command("git", append([]string{"-C", repo}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", author, "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
		suite.Output(t, cmd)
	}
}

// build builds the content, and adds values that content files must not have.
func (a attacker) build(t testing.TB) string {
	t.Helper()
	dir := a.content(t)
	loaded, problems, err := builder.LoadContent(dir, nil)
	if wrong, _ := problems.Count(); err != nil || wrong > 0 {
		t.Fatalf("%v %v", problems, err)
	}
	for i, e := range loaded.Entities {
		a.spoil(e, i)
	}
	for i := range loaded.Categories {
		c := &loaded.Categories[i]
		if i == 1 {
			c.Title, c.Description = a.wild(0), jsonenc.OptionalString(a.wild(2))
		}
	}
	out := t.TempDir()
	suite.Must(builder.Build(context.Background(), builder.Options{Content: dir, Loaded: loaded, Out: out, AsOf: edgetest.Today(), Keep: 1}))(t)
	return out
}

// spoil changes a record by adding values that the validator rejects.
func (a attacker) spoil(e *record.Entity, i int) {
	e.URL = a.address(i)
	for n := range e.Links {
		e.Links[n].URL = a.address(i + n + 1)
	}
	for n := range e.Signals.Facts {
		e.Signals.Facts[n].Source = a.address(i + 3 + n)
	}
	for n := range e.Signals.Benchmarks {
		b := &e.Signals.Benchmarks[n]
		b.Source = a.address(i + 5 + n)
		if i%3 == 0 {
			b.Name = a.wild(i + n)
		}
	}
	e.Tags = []string{"shared", a.markup(i), a.wild(i)}
	slices.Sort(e.Tags)
	e.Capabilities = []string{a.markup(i + 1), a.wild(i + 1)}
	if number, err := strconv.Atoi(e.Slug[1:]); err == nil && e.Type == "tool" && number < spoiled {
		for n, field := range []*string{&e.Name, &e.Provider, &e.Description, &e.Version, &e.License, &e.PricingModel} {
			*field = a.wild(number + n)
		}
	}
	if i%5 == 0 {
		e.Status = record.Deprecated
	}
}
