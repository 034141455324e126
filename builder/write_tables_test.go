package builder_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
)

// tableNames lists the tables that writeTables writes.
var tableNames = []string{exports.FullFile, "benchmarks", "ids", "offers", "signals"}

// smallContent writes the content of testdata/tables.txtar to a folder.
func smallContent(t *testing.T) string {
	t.Helper()
	a, err := txtar.ParseFile("testdata/tables.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(a, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// openBuild builds a content folder and opens the build.
func openBuild(t *testing.T, content string) *exports.Build {
	t.Helper()
	b, err := exports.Open(build(t, content).Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestTables compares the tables of a small index with those that a person has checked.
func TestTables(t *testing.T) {
	suite.InTest(t)
	b := openBuild(t, smallContent(t))
	var out bytes.Buffer
	for _, name := range tableNames {
		for _, format := range []string{"csv", "jsonl"} {
			data := tableFile(t, b, name+"."+format)
			fmt.Fprintf(&out, "-- %s.%s --\n%s", name, format, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
		}
	}
	suite.Golden(t, filepath.Join("testdata", "tables.golden.txt"), out.Bytes())
}

// TestTablesMatchRecords derives the rows of every table from the JSON of the records
// independently of the tables, and compares them in every format.
func TestTablesMatchRecords(t *testing.T) {
	suite.InTest(t)
	for name, content := range map[string]string{"small": smallContent(t), "random": randomContent(t, 600), "empty": emptyContent(t)} {
		t.Run(name, func(t *testing.T) {
			b := openBuild(t, content)
			want := map[string][]map[string]any{}
			all := b.Select(&view.Filter{})
			ranks := boardRanks(t, b)
			data, _, _ := b.File(exports.EntitiesFile + ".jsonl")
			rows := bytes.SplitAfter(data, []byte("\n"))
			for i, o := range b.InKeyOrder(all) {
				r := decodeObject(t, b.Record(o))
				key := fmt.Sprint(r["type"], "/", r["slug"])
				want[exports.FullFile] = append(want[exports.FullFile], fullRow(t, rows[i], r, ranks[key]))
				for _, name := range tableNames[1:] {
					want[name] = append(want[name], longRows(name, r, declaredPages(t, b))...)
				}
			}
			for _, name := range tableNames {
				if len(want[name]) == 0 && name != exports.FullFile && t.Name() == "TestTablesMatchRecords/random" {
					t.Errorf("%s has no rows", name)
				}
				compareTable(t, b, name, want[name])
			}
		})
	}
}

// emptyContent writes an index whose only entity is withdrawn.
func emptyContent(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeContentFile(t, dir, "categories.yaml", "categories:\n  - {slug: nlp, title: NLP}\n")
	writeContentFile(t, dir, "tool/gone.yaml", "name: Gone\ncategory: nlp\ndescription: Is gone.\nstatus: withdrawn\nsignals:\n  stars: {value: 1}\n")
	return dir
}

func writeContentFile(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// boardRanks reads the rank of each entity in its type from the leaderboard of all categories.
func boardRanks(t *testing.T, b *exports.Build) map[string]int {
	t.Helper()
	l, _ := b.Leaderboard(view.AllBoard)
	var rows []struct{ Type, Slug string }
	if err := json.Unmarshal(l.JSON, &rows); err != nil {
		t.Fatal(err)
	}
	ranks, last := map[string]int{}, map[string]int{}
	for _, r := range rows {
		last[r.Type]++
		ranks[r.Type+"/"+r.Slug] = last[r.Type]
	}
	return ranks
}

func decodeObject(t *testing.T, data []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var r map[string]any
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return r
}

// fullRow returns a row of the entities with all columns, from that of the table with twenty
// and from the record.
func fullRow(t *testing.T, line []byte, r map[string]any, rank int) map[string]any {
	row := decodeObject(t, line)
	within := func(member, name string) any {
		object, _ := r[member].(map[string]any)
		return object[name]
	}
	row["status"], row["maintenance"], row["maintenanceAsOf"] = r["status"], r["maintenance"], r["maintenanceAsOf"]
	row["retires"], row["replacedBy"] = within("lifecycle", "retires"), within("lifecycle", "replacedBy")
	row["rank"] = nil
	if rank > 0 {
		row["rank"] = json.Number(fmt.Sprint(rank))
	}
	context, _ := within("signals", "contextTokens").(map[string]any)
	row["contextTokens"] = context["value"]
	row["priceInput"], row["priceOutput"], row["priceBlended"] = within("price", "input"), within("price", "output"), within("price", "blended")
	for _, link := range kinds.Default().Links {
		name := link.Name
		row["link"+strings.ToUpper(name[:1])+name[1:]] = within("links", name)
	}
	for _, name := range []string{"family", "openWeights", "knowledge", "reasoning", "reasoningEfforts"} {
		row[name] = r[name]
	}
	row["modalitiesInput"], row["modalitiesOutput"] = within("modalities", "input"), within("modalities", "output")
	row["parametersTotal"], row["parametersActive"] = within("parameters", "total"), within("parameters", "active")
	for _, s := range kinds.Default().Signals {
		fact, _ := within("signals", s.Name).(map[string]any)
		column := "signal" + strings.ToUpper(s.Name[:1]) + s.Name[1:]
		row[column], row[column+"Date"] = fact["value"], fact["date"]
	}
	return row
}

// longRows returns the rows of a record in a long table.
func longRows(name string, r map[string]any, declared map[string]string) (rows []map[string]any) {
	signals := r["signals"].(map[string]any)
	add := func(of map[string]any, names string, more ...any) {
		row := map[string]any{"type": r["type"], "slug": r["slug"]}
		for _, n := range strings.Fields(names) {
			row[n] = of[n]
		}
		for i := 0; i < len(more); i += 2 {
			row[more[i].(string)] = more[i+1]
		}
		rows = append(rows, row)
	}
	switch name {
	case "signals":
		for _, signal := range slices.Sorted(maps.Keys(signals)) {
			if fact, ok := signals[signal].(map[string]any); ok {
				number, _ := fact["value"].(json.Number)
				day, _ := fact["value"].(string)
				add(fact, "date source", "signal", signal, "value", orNil(number), "day", orNil(day))
			}
		}
	case "benchmarks":
		list, _ := signals["benchmarks"].([]any)
		for _, x := range list {
			result := x.(map[string]any)
			add(result, "value metric harness variant dataset version by publisher date source", "benchmark", result["name"])
		}
	case "ids":
		all := r["ids"].(map[string]any)
		for _, namespace := range slices.Sorted(maps.Keys(all)) {
			for _, v := range all[namespace].([]any) {
				id := v.(string)
				add(nil, "", "namespace", namespace, "id", id, "url", orNil(pageOf(namespace, id, declared)))
			}
		}
	case "offers":
		for _, x := range r["offers"].([]any) {
			offer := x.(map[string]any)
			terms := func(of any, mode, over any) {
				prices, _ := of.(map[string]any)
				more := []any{"mode", mode, "over", over}
				for _, n := range record.PriceNames {
					more = append(more, n, prices[n])
				}
				add(offer, "provider id context outputLimit free deprecated date source", more...)
			}
			withTiers := func(of map[string]any, mode any) {
				terms(of, mode, nil)
				tiers, _ := of["tiers"].([]any)
				for _, tier := range tiers {
					terms(tier, mode, tier.(map[string]any)["over"])
				}
			}
			withTiers(offer, nil)
			modes := offer["modes"].(map[string]any)
			for _, mode := range slices.Sorted(maps.Keys(modes)) {
				withTiers(modes[mode].(map[string]any), mode)
			}
		}
	}
	return rows
}

// declaredPages reads the pages of the namespaces that the index declares.
func declaredPages(t *testing.T, b *exports.Build) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, n := range b.Kinds().IDs {
		pages[n.Name] = n.Page
	}
	return pages
}

// pageOf returns the address of an identifier's page.
func pageOf(namespace, id string, declared map[string]string) string {
	page := declared[namespace]
	if n := ids.Find(namespace); n != nil {
		page = n.Page
	}
	return strings.ReplaceAll(page, "{id}", escapedPath(id))
}

// escapedPath escapes the parts of a path, but not its slashes.
func escapedPath(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// orNil returns nil for "".
func orNil[T ~string](v T) any {
	if v == "" {
		return nil
	}
	return v
}

// columnsOf returns the columns of a table.
func columnsOf(name string) []table.Column {
	for _, l := range exports.LongTables {
		if l.Base == name {
			return l.Columns
		}
	}
	return table.FullColumns(kinds.Default())
}

// randomContent writes an index with entities that have random facts.
func randomContent(t *testing.T, n int) string {
	t.Helper()
	dir, rng := emptyContent(t), rand.New(rand.NewPCG(9, 9))
	providers := "providers:\n"
	for i := range 5 {
		providers += fmt.Sprintf("  - {slug: p%d, name: P%d, url: \"https://p%d.example/\"}\n", i, i, i)
	}
	writeContentFile(t, dir, "providers.yaml", providers)
	for i := range n {
		typ := kinds.Default().Names()[rng.IntN(2)]
		writeContentFile(t, dir, fmt.Sprintf("%s/e%d.yaml", typ, i), randomEntity(rng, i, typ))
	}
	return dir
}

// randomEntity returns an entity's file.
func randomEntity(rng *rand.Rand, i int, typ string) string {
	var b strings.Builder
	some := func(percent int) bool { return rng.IntN(100) < percent }
	fmt.Fprintf(&b, "name: Entity %d\ncategory: nlp\ndescription: Number %d.\nstatus: %s\n", i, i, record.Statuses[max(0, rng.IntN(6)-3)])
	if some(30) {
		fmt.Fprintf(&b, "links: {homepage: \"https://example.org/%d\"}\n", i)
	}
	if some(30) {
		fmt.Fprintf(&b, "ids: {npm: [\"@e/n%d\", n%d], doi: \"10.1000/%d?x=1\"}\n", i, i, i)
	}
	b.WriteString("signals:\n  downloads: {value: 5}\n")
	for _, s := range kinds.Default().Signals {
		value := fmt.Sprint(rng.IntN(1 << (1 + rng.IntN(40))))
		switch {
		case !some(20) || s.Name == "downloads" || s.Name == "archived":
			continue
		case s.Name == "released":
			value = fmt.Sprintf("2025-%02d", 1+rng.IntN(12))
		case s.IsDay():
			value = fmt.Sprintf("2025-%02d-01", 1+rng.IntN(12))
		}
		fmt.Fprintf(&b, "  %s: {value: %s, date: 2026-10-%02d}\n", s.Name, value, 1+rng.IntN(28))
	}
	if typ == "tool" {
		return b.String()
	}
	if some(40) {
		b.WriteString("  benchmarks:\n")
		for j := range 1 + rng.IntN(4) {
			fmt.Fprintf(&b, "    - {name: Bench %d, value: %v, variant: v%d}\n", j, rng.NormFloat64()*100, j)
		}
	}
	if some(50) {
		randomOffers(&b, rng)
	}
	return b.String()
}

func randomOffers(b *strings.Builder, rng *rand.Rand) {
	prices := func() string {
		text := ""
		for _, name := range record.PriceNames[:2+rng.IntN(len(record.PriceNames)-1)] {
			text += fmt.Sprintf("%s: %s, ", name, record.PriceOf(1+rng.Int64N(1<<(1+rng.IntN(30)))))
		}
		return strings.TrimSuffix(text, ", ")
	}
	b.WriteString("offersRead: {date: 2026-10-01, source: \"https://prices.example.org/\"}\noffers:\n")
	for j := range 1 + rng.IntN(4) {
		fmt.Fprintf(b, "  - {provider: p%d, id: \"m/%d:x\", %s", rng.IntN(5), j, prices())
		if rng.IntN(2) == 0 {
			fmt.Fprintf(b, ", context: %d, deprecated: true", 1+rng.IntN(1e6))
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(b, ", tiers: [{over: 1000, %s}, {over: 200000, %s}]", prices(), prices())
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(b, ", modes: {batch: {%s}, priority: {%s, tiers: [{over: 5, %s}]}}", prices(), prices(), prices())
		}
		b.WriteString("}\n")
	}
}

// TestShardsOfUnchangedRecords edits an index whose tables have several shards in ways that change other
// rows than those of the edited entity, and compares the build with a full one; in make soak, after each edit.
func TestShardsOfUnchangedRecords(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	f := folder{t, randomContent(t, suite.Pick(150, 3000))}
	f.write("tool/e616.yaml", entity("End of a shard")) // as the hash of the key decides
	f.git("init", "-q", "-b", "main")
	declare := func(page string) {
		f.write("kinds.yaml", "ids:\n  - {name: doi-of, title: D, page: \"https://d.example/"+page+"/{id}\"}\n")
	}
	declare("one")
	tools, err := filepath.Glob(filepath.Join(f.dir, "tool", "*.yaml"))
	if err != nil || len(tools) < 60 {
		t.Fatal(len(tools), err)
	}
	name := func(i int) string { return filepath.Join("tool", filepath.Base(tools[i])) }
	f.write("tool/moves.yaml", entity("Moves", "signals: {downloads: {value: 5}, lastCommit: {value: 2026-10-01}}\n"))
	f.write("tool/a.yaml", entity("In another shard", "signals: {downloads: {value: 5000}, lastCommit: {value: 2026-10-01}}\n"))
	f.write(name(7), f.read(name(7))+"ids: {doi-of: a1}\n")
	out, at := t.TempDir(), asOf
	commit := func(message string) {
		f.git("add", "-A")
		f.git("commit", "-q", "-m", message)
	}
	commit("all")
	buildAt(t, f.dir, out, at)
	edits := []struct {
		name string
		edit func()
	}{
		{"a figure that moves ranks", func() { f.replace("tool/moves.yaml", "downloads: {value: 5}", "downloads: {value: 5000000}") }},
		{"a removed entity", func() { f.remove(name(len(tools) - 1)) }}, // in the shard of the moved one
		{"another page of a namespace", func() { declare("two") }},
		{"a later day", func() { at = at.AddDate(0, 3, 0); f.add(name(3), "# later\n") }},
	}
	for i, e := range edits {
		if e.edit(); !suite.Soaking() && i != len(edits)-2 { // a later day has other scores, and so other records
			continue
		}
		commit(e.name)
		incremental, full := buildAt(t, f.dir, out, at), buildAt(t, f.dir, t.TempDir(), at)
		t.Run(e.name, func(t *testing.T) { sameBuild(t, incremental.Dir, full.Dir) })
	}
}
