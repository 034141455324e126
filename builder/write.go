package builder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/exports"
	"kindex/exports/feed"
	"kindex/exports/jsonenc"
	"kindex/exports/news"
	"kindex/exports/quality"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/exports/table"
)

// writeFiles writes all files of the build except the manifest.
func (b *build) writeFiles() error {
	if err := b.out.WriteNeighbours(b.near, b.features); err != nil {
		return err
	}
	b.near, b.features = nil, nil // free them before anything else is written: they take a third as much memory as all entities
	if err := b.out.WriteRecords(b.content.Entities); err != nil {
		return err
	}
	if err := b.writeTables(); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	g.Go(func() error { return b.out.WriteHistory(b.archive.Result()) }) // the longest first
	g.Go(b.writeLeaderboards)
	g.Go(b.writeOwnBoards)
	g.Go(b.writeDescriptions)
	g.Go(b.writeFeeds)
	return g.Wait()
}

// writeTables writes the bulk exports, which are sorted by type and slug and do not contain
// withdrawn entities.
func (b *build) writeTables() error {
	listed := make([]int, 0, len(b.content.Entities))
	for i, e := range b.content.Entities {
		if e.Status != record.Withdrawn {
			listed = append(listed, i)
		}
	}
	slices.SortFunc(listed, func(i, j int) int { return record.CompareKey(b.content.Entities[i], b.content.Entities[j]) })
	ranks := b.ranks()
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	write := func(base string, columns []table.Column, ordinals []int, rows func(*record.Entity) []table.Row) {
		g.Go(func() error {
			return b.out.WriteTable(&exports.Table{Base: base, Columns: columns, Rows: func(write func(table.Row, []byte) error) error {
				for _, o := range ordinals {
					for _, r := range rows(b.content.Entities[o]) {
						if err := write(r, nil); err != nil {
							return err
						}
					}
				}
				return nil
			}})
		})
	}
	writeEntities := func(base string, columns []table.Column, ordinals []int) {
		write(base, columns, ordinals, func(e *record.Entity) []table.Row { return []table.Row{table.EntityRow(columns, e, ranks[e])} })
	}
	writeEntities(exports.FullFile, table.FullColumns(b.content.Kinds), listed)
	for _, k := range b.content.Kinds.Names() {
		of := slices.DeleteFunc(slices.Clone(listed), func(i int) bool { return b.content.Entities[i].Type != k })
		writeEntities(exports.KindFile(k), table.KindColumns(b.content.Kinds, b.content.Kinds.Kind(k)), of)
	}
	writeEntities(exports.EntitiesFile, table.EntityColumns, listed)
	for _, t := range exports.LongTables {
		if t.Block == "" || b.content.Kinds.HasBlock(t.Block) {
			write(t.Base, t.Columns, listed, t.Rows)
		}
	}
	return g.Wait()
}

// ranks returns the position of each ranked entity among those of its type.
func (b *build) ranks() map[*record.Entity]int {
	ranks, last := map[*record.Entity]int{}, map[string]int{}
	for _, e := range b.boards[0].Entities {
		last[e.Type]++
		ranks[e] = last[e.Type]
	}
	return ranks
}

// writeLeaderboards writes the leaderboards of all entities, of the categories, and of the published
// boards.
func (b *build) writeLeaderboards() error {
	var list []exports.Leaderboard
	for _, board := range b.boards {
		l := exports.Leaderboard{Name: board.Name, Columns: table.LeaderboardColumns}
		for i, e := range board.Entities {
			l.Rows = append(l.Rows, table.EntityRow(l.Columns, e, i+1))
		}
		list = append(list, l)
	}
	for i := range b.ownBoards {
		r := &b.ownBoards[i]
		if !r.Published() {
			continue
		}
		l := exports.Leaderboard{Name: r.Slug, Columns: table.BoardColumns}
		for i, entry := range r.Entries {
			l.Rows = append(l.Rows, table.BoardRow(r.Catalogue.Entity(entry.Ordinal), i+1, entry.Score))
		}
		list = append(list, l)
	}
	return b.out.WriteLeaderboards(list)
}

// writeDescriptions writes the categories, the providers, the namespaces of identifiers, the
// vocabulary, the synonyms, the scoring formula, the schema of entity files and the quality of
// the data.
func (b *build) writeDescriptions() error {
	list := []record.Category{}
	for _, c := range b.content.Categories {
		c.Formerly = append([]string{}, c.Formerly...)
		list = append(list, c)
	}
	count := map[string]int{}
	for _, e := range b.content.Entities {
		if e.Status != record.Withdrawn {
			count[e.Category]++
		}
	}
	for i := range list {
		list[i].Count = count[list[i].Slug]
		for _, board := range b.boards {
			if board.Name == list[i].Slug {
				list[i].Ranked = len(board.Entities)
			}
		}
	}
	s, err := schema.JSON("entity", b.content.Kinds)
	if err != nil {
		return err
	}
	measured, err := json.Marshal(quality.New(b.content.Kinds, b.content.Entities, b.content.Status))
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		has   bool
		value any // its text, or what it states as JSON
	}{
		{exports.QualityFile, true, append(measured, '\n')},
		{exports.CategoriesFile, true, list},
		{exports.ProvidersFile, len(b.content.Providers) > 0, b.content.Providers},
		{exports.KindsFile, b.content.KindsText != nil, b.content.KindsText},
		{exports.SynonymsFile, len(b.content.Synonyms) > 0, b.content.Synonyms},
		{exports.VocabularyFile, b.content.Vocabulary != nil, b.vocabulary()},
		{exports.ScoringFile, true, b.formula.JSON()},
		{exports.SchemaFile, true, s},
	} {
		text, isText := f.value.([]byte)
		if !f.has {
			continue
		}
		if !isText {
			if text, err = json.MarshalIndent(f.value, "", "  "); err != nil {
				return err
			}
			text = append(text, '\n')
		}
		if err := b.out.Add(f.name, text); err != nil {
			return err
		}
	}
	return nil
}

// vocabulary returns the words without null lists.
func (b *build) vocabulary() record.Vocabulary {
	v := record.Vocabulary{record.CapabilityWords: {}, record.TagWords: {}}
	for name, words := range b.content.Vocabulary {
		for _, w := range words {
			w.Synonyms = append([]string{}, w.Synonyms...)
			v[name] = append(v[name], w)
		}
	}
	return v
}

// feedLength is the number of items in each feed of a build.
const feedLength = 200

// writeFeeds writes the newest changes, and the movers of completed weeks, as feeds. Without a public address, they have no
// links.
func (b *build) writeFeeds() error {
	changes, refreshes, err := news.Newest(b.archive.Newest(), feedLength)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, e := range b.content.Entities {
		names[e.Key()] = e.Name
	}
	f := &feed.Feed{Title: b.title(), Description: b.content.Index.Description, Base: strings.TrimSuffix(b.content.Index.URL, "/"),
		Words: feed.Words{Kinds: b.content.Kinds, Categories: map[string]string{}, Name: func(key string) string { return names[key] }}, Changes: changes, Refreshes: refreshes, Weeks: b.archive.Result().Weeks, Limit: feedLength, Updated: b.AsOf}
	for _, c := range b.content.Categories {
		f.Words.Categories[c.Slug] = c.Title
	}
	for ext, format := range map[string]string{".xml": "rss", ".atom": "atom", ".json": "json"} {
		var body bytes.Buffer
		if err := f.Write(&body, format); err != nil {
			return err
		}
		if err := b.out.Add(exports.FeedFile+ext, body.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) title() string {
	if b.content.Index.Title != "" {
		return b.content.Index.Title
	}
	return "Knowledge index"
}

func (b *build) describe() *store.Manifest {
	m := &store.Manifest{
		Builder: Version, Title: b.title(), Description: b.content.Index.Description,
		URL: jsonenc.OptionalString(b.content.Index.URL), Repository: b.repository(),
		Commit: jsonenc.OptionalString(b.head.Commit), Dirty: b.head.Dirty, AsOf: b.AsOf.UTC().Format(time.RFC3339),
		ScoringVersion: b.formula.Version, License: jsonenc.OptionalString(b.license()),
		Sources: []store.Source{}, Index: b.index.Stub,
		Counts: store.Counts{Types: map[string]int{}, Categories: len(b.content.Categories), Ranked: len(b.boards[0].Entities)},
	}
	if b.head.Commit != "" {
		m.CommitTime = jsonenc.OptionalString(b.head.Time.Format(time.RFC3339))
	}
	for _, s := range b.content.Index.Sources {
		if s.Types == nil {
			s.Types = b.content.Kinds.Names()
		}
		m.Sources = append(m.Sources, s)
	}
	for _, t := range b.content.Kinds.Names() {
		m.Counts.Types[t] = 0
	}
	for _, e := range b.content.Entities {
		if e.Status == record.Withdrawn {
			m.Counts.Withdrawn++
			continue
		}
		m.Counts.Entities++
		m.Counts.Types[e.Type]++
	}
	return m
}

func (b *build) repository() *store.Repository {
	index := &b.content.Index
	if index.Repository == "" {
		return nil
	}
	return &store.Repository{URL: index.Repository, Branch: cmp.Or(index.Branch, content.MainBranch), Path: b.head.Path}
}

// license combines the licences of all data in the records.
func (b *build) license() string {
	var parts []string
	add := func(s string) {
		if strings.Contains(s, " OR ") {
			s = "(" + s + ")"
		}
		if s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	add(b.content.Index.License)
	for _, s := range b.content.Index.Sources {
		if s.Types == nil || slices.ContainsFunc(s.Types, func(t string) bool { return b.content.Kinds.Kind(t) != nil }) {
			add(s.License)
		}
	}
	return strings.Join(parts, " AND ")
}

// licenseOf returns the licence of a file in the build: the licence of the entities in it, or ""
// for files that are part of the program.
func (b *build) licenseOf(path string) string {
	if strings.HasPrefix(path, exports.SchemaFile) {
		return ""
	}
	return b.license()
}
