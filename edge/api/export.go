package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/croissant"
	"kindex/exports/sign"
	"kindex/exports/store"
	"kindex/exports/table"
	"kindex/exports/view"
)

var formatNames = each(table.Formats, func(f table.Format) string { return f.Name })

// The values of the csv parameter; the first is the default.
const (
	plainCSV       = "plain"
	spreadsheetCSV = "spreadsheet"
)

// exportFormat returns the format of an export. CSV for spreadsheets is a separate format; builds
// contain no files in that format.
func exportFormat(c *web.Call) table.Format {
	name := c.Query.OneOf("format", formatNames[0], formatNames)
	f, _ := table.FormatByName(name)
	kind := c.Query.OneOf("csv", plainCSV, []string{plainCSV, spreadsheetCSV})
	switch {
	case c.Query.Has("csv") && name != "csv":
		c.Query.Fail(&query.Error{Param: "csv", Message: "applies to CSV only; use it with format=csv"})
	case kind == spreadsheetCSV:
		f.Name = table.SpreadsheetCSV
	}
	return f
}

// isStored reports whether an export without filters in a format is a file of the build.
func isStored(c *web.Call, format table.Format) bool {
	return format.Name != table.SpreadsheetCSV && c.Served.Build.OverlayID() == ""
}

// streamed returns a reply with an export that is written while it is sent.
func streamed(c *web.Call, f table.Format, base string, write func(io.Writer) error) *web.Reply {
	return &web.Reply{MediaType: f.MediaType, Attachment: base + f.Extension, ETagSeed: c.Request.URL.Path + "?" + c.Query.Canonical(), Stream: buffered(write)}
}

func buffered(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 64<<10)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	}
}

// encoded returns a function that writes a table.
func encoded(f table.Format, columns []table.Column, rows iter.Seq[table.Row]) func(io.Writer) error {
	return func(w io.Writer) error {
		enc, err := table.NewStreamEncoder(f.Name, w, columns)
		if err != nil {
			return err
		}
		for row := range rows {
			if err := enc.Write(row); err != nil {
				return err
			}
		}
		return enc.Close()
	}
}

// prebuilt returns a reply with a file of the build. attachment is the file name under which
// clients should save it. What is stored compressed only is decompressed while it is sent, and a JSON
// array that is not stored is made from the lines of JSON.
func prebuilt(c *web.Call, name, attachment string) (*web.Reply, error) {
	if content, f, ok := c.Served.Build.File(name); ok {
		file := &web.FileReply{Content: content, ETag: etagBase(f), SHA256: f.SHA256, Encode: true}
		if member, _, stored := c.Served.Build.File(name + store.GzipExtension); stored {
			file.Gzip = member
		}
		return &web.Reply{MediaType: f.MediaType, Attachment: attachment, File: file}, nil
	}
	from, array := name, path.Ext(name) == ".json"
	if array {
		from += "l"
	}
	member, f, ok := c.Served.Build.File(from + store.GzipExtension)
	if !ok {
		return nil, fmt.Errorf("%s of the build: %w", name, fs.ErrNotExist)
	}
	r := &web.Reply{MediaType: f.MediaType, Attachment: attachment, ETagSeed: name + " " + f.SHA256}
	if array {
		r.MediaType = web.JSONType
	} else {
		r.Gzip = &web.FileReply{Content: member, ETag: etagBase(f) + "-gzip", SHA256: f.SHA256}
	}
	r.Stream = buffered(func(w io.Writer) error {
		text, err := gzip.NewReader(member)
		if err != nil {
			return err
		}
		if !array {
			_, err = io.Copy(w, text)
			return err
		}
		elements := table.NewArrayWriter(w)
		_, err = io.Copy(elements, text)
		return errors.Join(err, elements.Close())
	})
	return r, nil
}

// etagBase returns the base of a file's entity tag.
func etagBase(f store.File) string { return f.SHA256[:min(32, len(f.SHA256))] }

// allFields is the value of the fields parameter that selects all columns.
const allFields = "all"

// ExportEntities handles GET /api/export/entities.
func (a *API) ExportEntities(c *web.Call) (*web.Reply, error) {
	b := c.Served.Build
	format, f := exportFormat(c), c.Query.Filter(c.Served.Slugs, b)
	columns, file, err := exportColumns(c)
	if err != nil {
		return nil, err
	}
	if file != "" && f.Empty() && isStored(c, format) {
		return prebuilt(c, file+format.Extension, file+format.Extension)
	}
	return streamed(c, format, "entities", encoded(format, columns, func(yield func(table.Row) bool) {
		ranks := ranksByType(b)
		for _, o := range b.InKeyOrder(b.Select(f)) {
			if !yield(table.EntityRow(columns, b.Entity(o), ranks[o])) {
				return
			}
		}
	})), nil
}

// exportColumns reads the fields parameter of an export of entities. file is the name of the files of a build with
// these columns, if any.
func exportColumns(c *web.Call) (columns []table.Column, file string, err error) {
	if !c.Query.Has("fields") {
		return table.EntityColumns, exports.EntitiesFile, nil
	}
	all := table.FullColumns(c.Served.Build.Kinds())
	known := each(all, func(column table.Column) string { return column.Name })
	switch names := c.Query.List("fields", append(known, allFields)); {
	case slices.Contains(names, allFields) && len(names) > 1:
		return nil, "", &query.Error{Param: "fields", Message: `"all" already selects every field; use it alone`}
	case slices.Contains(names, allFields):
		return all, exports.FullFile, nil
	default:
		return slices.DeleteFunc(slices.Clone(all), func(column table.Column) bool { return !slices.Contains(names, column.Name) }), "", nil
	}
}

// ranksByType returns the rank of each ranked record among those of its type.
func ranksByType(b *exports.Build) map[uint32]int {
	ranks := map[uint32]int{}
	for _, typ := range b.Kinds().Names() {
		for i, o := range b.InRankOrder(b.Board(view.AllBoard, typ, "composite")) {
			ranks[o] = i + 1
		}
	}
	return ranks
}

// ExportTable returns the handler of a long table, such as GET /api/export/signals.
func (a *API) ExportTable(t exports.LongTable) web.Handler {
	return func(c *web.Call) (*web.Reply, error) {
		if err := requireBlock(c, t.Block); err != nil {
			return nil, err
		}
		b, format := c.Served.Build, exportFormat(c)
		f := c.Query.Filter(c.Served.Slugs, b)
		if f.Empty() && isStored(c, format) {
			return prebuilt(c, t.Base+format.Extension, t.Base+format.Extension)
		}
		return streamed(c, format, t.Base, encoded(format, t.Columns, func(yield func(table.Row) bool) {
			for _, o := range b.InKeyOrder(b.Select(f)) {
				for _, row := range t.Rows(b.Entity(o)) {
					if !yield(row) {
						return
					}
				}
			}
		})), nil
	}
}

// ExportLeaderboard handles GET /api/export/leaderboard.
func (a *API) ExportLeaderboard(c *web.Call) (*web.Reply, error) {
	format, l, name := exportFormat(c), openList(c), c.Query.Text("category")
	own := c.Served.Own.Find(name)
	if own == nil {
		name = c.Query.OneOf("category", view.AllBoard, withFormer(c, boardNamesAt(c, l.day)))
		name, _ = c.Served.Build.Preferred("category", name)
	}
	base, columns, catalogue := "leaderboard-"+name, table.LeaderboardColumns, l.catalogue
	if l.day != "" {
		base += "-" + l.day
	}
	rows := func(yield func(table.Row) bool) {
		for i, o := range catalogue.InRankOrder(catalogue.Board(name, "", "composite")) {
			if !yield(table.EntityRow(table.LeaderboardColumns, catalogue.Entity(o), i+1)) {
				return
			}
		}
	}
	if own != nil {
		r, err := rankingAt(c, own, catalogue)
		if err != nil {
			return nil, err
		}
		columns, rows = table.BoardColumns, func(yield func(table.Row) bool) {
			for i, o := range r.Order(board.ScoreName) {
				if !yield(table.BoardRow(r.Catalogue.Entity(o), i+1, r.Entries[i].Score)) {
					return
				}
			}
		}
	}
	if stored, ok := c.Served.Build.Leaderboard(name); ok && l.day == "" && format.Name == "json" && c.Served.Build.OverlayID() == "" {
		return &web.Reply{MediaType: web.JSONType, Attachment: base + format.Extension,
			File: &web.FileReply{Content: bytes.NewReader(stored.JSON), ETag: etagBase(store.File{SHA256: stored.SHA256}), SHA256: stored.SHA256, Encode: true}}, nil
	}
	return streamed(c, format, base, encoded(format, columns, rows)), nil
}

// ExportChangelog handles GET /api/export/changelog.
func (a *API) ExportChangelog(c *web.Call) (*web.Reply, error) {
	format, f := exportFormat(c), changeFilter(c)
	if !c.Query.Has("since") && !c.Query.Has("type") && format.Name != table.SpreadsheetCSV {
		return prebuilt(c, exports.ChangelogFile+format.Extension, "changelog"+format.Extension)
	}
	history := c.Served.Build.History()
	// In JSON, changes are as the build stores them.
	lines := func(w io.Writer) error {
		for it := history.SelectChanges(f).Iterator(); it.HasNext(); {
			if _, err := w.Write(append(slices.Clip(history.ChangeLine(int(it.Next()))), '\n')); err != nil {
				return err
			}
		}
		return nil
	}
	write := encoded(format, table.ChangeColumns, func(yield func(table.Row) bool) {
		for it := history.SelectChanges(f).Iterator(); it.HasNext(); {
			if !yield(table.ChangeRow(history.Change(int(it.Next())))) {
				return
			}
		}
	})
	switch format.Name {
	case "json":
		write = func(w io.Writer) error {
			elements := table.NewArrayWriter(w)
			return errors.Join(lines(elements), elements.Close())
		}
	case "jsonl":
		write = lines
	}
	return streamed(c, format, "changelog", write), nil
}

// Data handles GET /data/:build/*file. It serves the files of all builds that have not been
// deleted; the bytes at an address never change. Files are sent without content coding, since
// the compressed variants have their own addresses.
func (a *API) Data(c *web.Call) (*web.Reply, error) {
	id, path := c.Param("build"), strings.TrimPrefix(c.Param("file"), "/")
	content, m, f, err := a.dataFile(c, id, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownFile(id, path)
	}
	if err != nil {
		return nil, err
	}
	h := http.Header{"Link": live.LicenseLinks(f.License), "Last-Modified": {m.LastModified().UTC().Format(http.TimeFormat)}}
	mediaType := f.MediaType
	if f.Encoding == "gzip" {
		mediaType = "application/gzip"
	}
	return &web.Reply{MediaType: mediaType, Header: h, Immutable: true, Build: id,
		File: &web.FileReply{Content: content, ETag: etagBase(f)}}, nil
}

func unknownFile(id, path string) *web.Problem {
	return web.NewProblem("unknown-build", "No file "+web.Shorten(path)+" in build "+web.Shorten(id)+
		"; old builds are deleted. GET /api/export/manifest lists the files of the current build.")
}

// dataFile returns a file of the current build or of an older one. Only files named in a manifest are
// served, whatever the path looks like. It returns fs.ErrNotExist if there is no such file.
func (a *API) dataFile(c *web.Call, id, path string) (io.ReadSeeker, *store.Manifest, store.File, error) {
	m := c.Served.Build.Manifest
	if id != m.ID || path == store.ManifestFile {
		return a.oldBuilds.Open(id, path)
	}
	content, f, ok := c.Served.Build.File(path)
	if !ok {
		return nil, nil, f, fs.ErrNotExist
	}
	return content, m, f, nil
}

// ExportManifest handles GET /api/export/manifest. It lists each file with its immutable
// URL. The response describes the build's files, which do not contain previewed edits.
func (a *API) ExportManifest(c *web.Call) (*web.Reply, error) {
	m := *c.Served.Build.Manifest
	type file struct {
		store.File
		URL string `json:"url"`
	}
	answer := struct {
		store.Manifest
		Signature *sign.Signature `json:"signature"`
		Files     []file          `json:"files"`
	}{Manifest: m, Signature: c.Served.Signature()}
	c.BuildOnly = false // the build may be signed later
	for _, f := range m.Files {
		answer.Files = append(answer.Files, file{f, "/data/" + m.ID + "/" + f.Path})
	}
	body, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		return nil, err
	}
	return &web.Reply{MediaType: web.JSONType, Header: http.Header{"Link": c.Served.Licenses}, Build: m.ID, Body: append(body, '\n')}, nil
}

// ExportCroissant handles GET /api/export/croissant. The response describes the build's files,
// which do not contain previewed edits.
func (a *API) ExportCroissant(c *web.Call) (*web.Reply, error) {
	m := c.Served.Build.Manifest
	body, err := croissant.Describe(m, c.Served.Build.Kinds(), c.BaseURL(), c.Served.Signature())
	if err != nil {
		return nil, err
	}
	c.BuildOnly = false // the build may be signed later
	return &web.Reply{MediaType: croissant.MediaType, Header: http.Header{"Link": c.Served.Licenses}, Build: m.ID, Body: body}, nil
}
