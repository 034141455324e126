package main

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// The code below reads snapshots of a public list (see testdata/best-of/README.md for its
// licence and credit) without using any of the project's code, and derives what the
// changelog must contain.

// told maps the names of an entity's fields to their values in a snapshot, as JSON.
type told map[string]string

// snapshot is the public list as it was on one day.
type snapshot struct {
	date string
	rows []map[string]string
}

// clashing lists the names that repositories of several owners share anywhere in the
// list.
var clashing = []string{"catalyst", "datasets", "hub", "lightning", "recommenders", "text", "tts"}

var (
	notSlug  = regexp.MustCompile(`[^a-z0-9]+`)
	datelike = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
)

func plainSlug(s string) string {
	var ascii strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if r < 128 {
			ascii.WriteRune(r)
		}
	}
	if slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(ascii.String()), "-"), "-"); slug != "" {
		return slug
	}
	return "x"
}

// readSnapshots reads YYYY-MM-DD.csv and .csv.gz files, oldest first.
func readSnapshots(t *testing.T, dir string) []snapshot {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []snapshot
	for _, e := range entries {
		if !datelike.MatchString(e.Name()) {
			continue
		}
		records := readCSV(t, filepath.Join(dir, e.Name()))
		s := snapshot{date: e.Name()[:10]}
		for _, record := range records[1:] {
			row := map[string]string{}
			for i, v := range record {
				row[strings.TrimPrefix(records[0][i], "\ufeff")] = v
			}
			s.rows = append(s.rows, row)
		}
		list = append(list, s)
	}
	return list
}

// readCSV reads a CSV file, which may be compressed. The first returned row is the
// header.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		r = csv.NewReader(z)
	}
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// projects picks one row for each project. A project is identified by its GitHub ID, or
// else by its name.
func (s *snapshot) projects() map[string]map[string]string {
	better := func(a, b map[string]string) bool { // prefer a row with the same name as its repository, then a row that is shown, then the first by name
		rank := func(r map[string]string) string {
			repo := r["github_id"][strings.LastIndex(r["github_id"], "/")+1:]
			key := []byte("00")
			if plainSlug(r["name"]) != plainSlug(repo) {
				key[0] = '1'
			}
			if r["show"] != "True" {
				key[1] = '1'
			}
			return string(key) + r["name"]
		}
		return rank(a) < rank(b)
	}
	found := map[string]map[string]string{}
	for _, row := range s.rows {
		if row["resource"] == "True" {
			continue
		}
		id := row["github_id"]
		if id == "" {
			id = "name:" + row["name"]
		}
		if was, ok := found[id]; !ok || better(row, was) {
			found[id] = row
		}
	}
	return found
}

// clashes returns the repository names shared by several projects in a snapshot.
func (s *snapshot) clashes() []string {
	count := map[string]int{}
	for id := range s.projects() {
		if i := strings.LastIndex(id, "/"); i >= 0 {
			count[plainSlug(id[i+1:])]++
		}
	}
	var list []string
	for slug, n := range count {
		if n > 1 {
			list = append(list, slug)
		}
	}
	return list
}

// states returns the entities of a snapshot by slug.
func (s *snapshot) states(clash []string) map[string]told {
	projects := s.projects()
	ids := make([]string, 0, len(projects))
	for id := range projects {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	out := map[string]told{}
	for _, id := range ids {
		base := plainSlug(strings.TrimPrefix(id[strings.LastIndex(id, "/")+1:], "name:"))
		if slices.Contains(clash, base) && strings.Contains(id, "/") {
			base = plainSlug(strings.ReplaceAll(id, "/", "-"))
		}
		slug := base
		for n := 2; out[slug] != nil; n++ {
			slug = base + "-" + strconv.Itoa(n)
		}
		out[slug] = stateOf(id, projects[id])
	}
	return out
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out strings.Builder // Marshal would escape HTML
	out.WriteString(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b)))
	return out.String()
}

// stateOf converts a row to the fields of an entity.
func stateOf(id string, row map[string]string) told {
	address := row["github_url"]
	if address == "" && strings.Contains(id, "/") {
		address = "https://github.com/" + id
	} else if address == "" {
		address = row["homepage"]
	}
	provider, _, _ := strings.Cut(row["github_id"], "/")
	if provider == "" {
		u, err := url.Parse(row["homepage"])
		if provider = "unknown"; err == nil && u.Hostname() != "" {
			provider = strings.TrimPrefix(u.Hostname(), "www.")
		}
	}
	s := told{"status": `"active"`, "pricingModel": `"open-source"`}
	for field, v := range map[string]string{"name": row["name"], "provider": provider, "description": row["description"],
		"category": row["category"], "version": row["latest_stable_release_number"], "license": row["license"], "url": address} {
		if v = strings.TrimSpace(v); v != "" {
			s[field] = jsonOf(v)
		}
	}
	if tags := tagsOf(row); len(tags) > 0 {
		s["tags"] = jsonOf(tags)
	}
	for field, column := range map[string]string{"stars": "star_count", "downloads": "monthly_downloads",
		"dependents": "dependent_project_count", "contributors": "contributor_count"} {
		if x, err := strconv.ParseFloat(row[column], 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			s["signals."+field] = strconv.FormatFloat(math.RoundToEven(x), 'f', -1, 64)
		}
	}
	if day := row["latest_stable_release_published_at"]; datelike.MatchString(day) {
		s["signals.lastRelease"] = jsonOf(day[:10])
	}
	return s
}

var listItem = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)

func tagsOf(row map[string]string) []string {
	var labels []string
	switch text := row["labels"]; {
	case text == "":
	case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
		for _, m := range listItem.FindAllStringSubmatch(text, -1) {
			labels = append(labels, m[1]+m[2])
		}
	default:
		labels = []string{text}
	}
	var tags []string
	add := func(tag string) {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	for _, l := range labels {
		add(plainSlug(l))
	}
	if row["pypi_id"] != "" {
		add("python")
	}
	if row["npm_id"] != "" {
		add("javascript")
	}
	return tags
}

// expected is a change derived from the snapshots.
type expected struct {
	event, date, slug, name string
	fields                  map[string][2]string // old and new, as JSON
}

// expectedChanges compares each snapshot with the previous one, in changelog order.
func expectedChanges(list []snapshot, clash []string) (all []expected) {
	before := map[string]told{}
	for i := range list {
		now := list[i].states(clash)
		slugs := make([]string, 0, len(now))
		for slug := range now {
			slugs = append(slugs, slug)
		}
		for slug := range before {
			if now[slug] == nil {
				slugs = append(slugs, slug)
			}
		}
		slices.Sort(slugs)
		for _, slug := range slugs {
			x := expected{event: "entity.updated", date: list[i].date, slug: slug, fields: map[string][2]string{}}
			old, new, shown := before[slug], now[slug], now[slug]
			switch {
			case old == nil:
				x.event = "entity.created"
			case new == nil:
				x.event, shown = "entity.deleted", old
			}
			x.name = shown["name"]
			for field := range old {
				if old[field] != new[field] {
					x.fields[field] = [2]string{old[field], orNullText(new[field])}
				}
			}
			for field := range new {
				if _, had := old[field]; !had {
					x.fields[field] = [2]string{"null", new[field]}
				}
			}
			if len(x.fields) > 0 {
				all = append(all, x)
			}
		}
		before = now
	}
	return all
}

func orNullText(s string) string {
	if s == "" {
		return "null"
	}
	return s
}

// allClashes combines the clashes of all snapshots, because a project must have the same
// slug in all of them.
func allClashes(list []snapshot) []string {
	clash := slices.Clone(clashing)
	for i := range list {
		clash = append(clash, list[i].clashes()...)
	}
	return clash
}
