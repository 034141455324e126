package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports"
	"kindex/exports/croissant"
	"kindex/exports/history"
	"kindex/exports/quality"
	"kindex/exports/record"
	"kindex/exports/sign"
	"kindex/exports/store"
	"kindex/site/textfmt"
)

type dataPage struct {
	Manifest  string      // path
	First     []firstFile // those that most people want
	Groups    []fileGroup
	Signature *sign.Signature // nil if the build is not signed
	Signable  bool            // whether Signature is known
	Host      string          // start of the URLs in examples
	Example   download
	Lines     download // the entities as JSONL, compressed by gzip
	Files     int
	Size      int64
	Cite      string
	BibTeX    string
}

// firstFile is a file that most people want, with what it is for.
type firstFile struct {
	download
	Title, Text string
}

// firstFiles lists the files that most people want. Tables of all kinds lack what a kind declares, so those of the
// largest kinds that declare something stand first.
func (s *Site) firstFiles() []firstFile {
	wanted := func(path, title, text string) firstFile { return firstFile{s.fileAt(path), title, text} }
	list := []firstFile{wanted(exports.FullFile+".parquet", "Everything about every entity", "For SQL, pandas, Polars and R: one row per entity, with all columns.")}
	every := wanted(exports.EntitiesFile+".csv", "Every entity as a spreadsheet", "Opens in Excel and LibreOffice: one row per entity.")
	for _, t := range s.largest() {
		if len(s.kind(t).Fields) > 0 && len(list) < 3 {
			every.Title, every.Text = "The basics as a spreadsheet", "What entities of all kinds have, one row per entity. Opens in Excel and LibreOffice."
			list = append(list, wanted(exports.KindFile(t)+".csv"+store.GzipExtension, s.kind(t).Plural+" as a spreadsheet",
				"One row per entity, with all that the index says of "+s.plural(t)+". Unpacked, it opens in Excel and LibreOffice."))
		}
	}
	list = append(list, every,
		wanted(exports.SignalsFile+".parquet", "All figures with their sources", "One row per figure, with the day and the page where it was read, if they are known."),
		wanted(exports.OffersFile+".parquet", "Every price of a model", "One row per offer of a model at a provider, in US dollars per million tokens."))
	return slices.DeleteFunc(list, func(f firstFile) bool { return f.To == "" })
}

type fileGroup struct {
	begin, Title, Text string // begin is the prefix of the paths
	ID                 string // ID of its heading
	Files              []download
}

// Licensed reports whether a file states its licence.
func (g fileGroup) Licensed() bool {
	return slices.ContainsFunc(g.Files, func(d download) bool { return d.License != "" })
}

type download struct {
	store.File
	To     string // path on the site
	Format string
}

// fileFormats maps file extensions to format names; the compression formats come last.
var fileFormats = map[string]string{
	".json": "JSON", ".jsonl": "JSON Lines", ".csv": "CSV", ".parquet": "Parquet", ".xml": "RSS 2.0", ".atom": "Atom",
	".gz": "gzip",
}

// fileGroups lists the groups of files. All other files are in the last group.
var fileGroups = []fileGroup{
	{begin: exports.EntitiesFile + ".", Title: "Entities", Text: "Every listed entity, in the same 20 columns in every format."},
	{begin: exports.FullFile + ".", Title: "Entities with every column", Text: "The same entities, with their status, links and everything that the index declares as well."},
	{begin: exports.KindFile(""), Title: "Entities of one kind", Text: "The same, without the columns that only other kinds have."},
	{begin: exports.SignalsFile + ".", Title: "Signals", Text: "One row per figure of an entity, with the day and the page where it was read."},
	{begin: exports.BenchmarksFile + ".", Title: "Benchmark results", Text: "One row per result of a model."},
	{begin: exports.OffersFile + ".", Title: "Offers", Text: "One row per offer of a model at a provider, and for each of its tiers and modes, in US dollars per million tokens."},
	{begin: exports.IDsFile + ".", Title: "Identifiers", Text: "One row per identifier of an entity in a registry or at a provider."},
	{begin: exports.ChangelogFile + ".", Title: "Changelog", Text: "Every recorded change, field by field, oldest first."},
	{begin: exports.FeedFile + ".", Title: "Feeds", Text: "The latest changes and the movers of each week, for feed readers."},
	{begin: exports.LeaderboardsFile, Title: "Leaderboards", Text: "Those of all entities, of each category and of each board, best first."},
	{begin: history.SnapshotsDir, Title: "Earlier days", Text: "The ranks and scores of all entities at the end of a day."},
	{begin: "", Title: "Metadata", Text: "The categories, the providers, the JSON Schema of an entity, and the rest."},
}

// fileAt returns a file of the build by its path, or the zero value if there is none.
func (s *Site) fileAt(path string) download {
	f, ok := s.Build.Manifest.File(path)
	if !ok {
		return download{}
	}
	return s.download(f)
}

func (s *Site) download(f store.File) download {
	ext := path.Ext(f.Path)
	d := download{f, "/data/" + s.Build.Manifest.ID + "/" + f.Path, fileFormats[ext]}
	switch of := fileFormats[path.Ext(strings.TrimSuffix(f.Path, ext))]; {
	case f.Encoding != "":
		d.Format = of + ", " + d.Format
	case strings.HasPrefix(f.Path, exports.FeedFile+".") && ext == ".json":
		d.Format = "JSON Feed"
	}
	return d
}

func (r *request) data() (*page, error) {
	m := r.Build.Manifest
	d := &dataPage{Manifest: "/data/" + m.ID + "/" + store.ManifestFile, First: r.firstFiles(),
		Lines: r.fileAt(exports.EntitiesFile + ".jsonl" + store.GzipExtension), Example: r.fileAt(exports.EntitiesFile + ".parquet")}
	if r.Signature != nil {
		d.Signable, d.Signature = true, r.Signature()
	}
	d.Host = cmp.Or(r.Base, "https://…"+strings.TrimSuffix(r.Root, "/"))
	d.Cite = fmt.Sprintf("%s, as of %s. Build %s. %s%s", textfmt.Name(m.Title), m.AsOf[:len(time.DateOnly)], m.ID, d.Host, d.Manifest)
	d.BibTeX = croissant.Cite(m, d.Host)
	groups := slices.Clone(fileGroups)
	for _, f := range m.Files {
		if strings.HasPrefix(f.Path, "lookup/") { // only the edge reads it
			continue
		}
		d.Files, d.Size = d.Files+1, d.Size+f.Size
		i := slices.IndexFunc(groups, func(g fileGroup) bool {
			ranks := g.begin == exports.LeaderboardsFile || g.begin == history.SnapshotsDir // an index without scores does not speak of them
			return strings.HasPrefix(f.Path, g.begin) && (m.Counts.Ranked > 0 || !ranks)
		})
		groups[i].ID, groups[i].Files = "files-"+strconv.Itoa(i+1), append(groups[i].Files, r.download(f))
	}
	d.Groups = slices.DeleteFunc(groups, func(g fileGroup) bool { return len(g.Files) == 0 })
	return &page{Template: "data", Title: "Data", Data: d, Scripts: []string{"code.js"}, LinkedData: r.dataset(),
		Description: "All of " + textfmt.Name(m.Title) + " for download, in Parquet, JSON Lines, CSV and JSON, with sizes and checksums."}, nil
}

const qualityPath = "/quality/"

// qualityPage shows how complete, how old and how consistent the data is.
type qualityPage struct {
	quality.Report
	*Site
}

// Path returns the path of the list of the group of a category.
func (*qualityPage) Path(g quality.Group) string {
	return categoryPath(*g.Category)
}

// Categories returns the groups of a type's categories.
func (d *qualityPage) Categories(typ string) []quality.Group {
	return slices.DeleteFunc(slices.Clone(d.Groups), func(g quality.Group) bool { return g.Category == nil || g.Type != typ })
}

// Price returns a value of an offer: a price in dollars, or a number of tokens.
func (d *qualityPage) Price(field string, v any) string {
	if field == record.PriceNames[record.InputPrice] || field == record.PriceNames[record.OutputPrice] {
		return "$" + plainValue(v)
	}
	return plainValue(v)
}

// percent returns a share as a whole percentage; only none is 0%, and only all is 100%.
func percent(part, all int) string {
	switch {
	case all == 0 || part == 0:
		return "0%"
	case part == all:
		return "100%"
	}
	return strconv.Itoa(min(max((200*part+all)/(2*all), 1), 99)) + "%"
}

func (r *request) dataQuality() (*page, error) {
	d := &qualityPage{Site: r.Site}
	data, err := r.Build.ReadFile(exports.QualityFile)
	if err == nil {
		err = json.Unmarshal(data, &d.Report)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exports.QualityFile, err)
	}
	return &page{Template: "quality", Title: "Data quality", Data: d, Section: "/data/",
		Description: "How complete, how old and how consistent the data of this index is, and when its sources were last read."}, nil
}

// plainValue returns a number, a text or nothing as text.
func plainValue(v any) string {
	switch v := v.(type) {
	case float64:
		return textfmt.Count(v)
	case string:
		return textfmt.Name(v)
	case nil:
		return "nothing"
	}
	return fmt.Sprint(v)
}
