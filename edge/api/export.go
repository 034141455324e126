package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"

	"github.com/klauspost/compress/gzip"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/sign"
	"kindex/exports/store"
	"kindex/exports/table"
	"kindex/exports/view"
)

// formatNames contains the values of the format parameter; the first is the default.
var formatNames = func() []string {
	var names []string
	for _, f := range table.Formats {
		names = append(names, f.Name)
	}
	return names
}()

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

// encoded returns a function that writes a table. rows calls write for each row.
func encoded(f table.Format, columns []table.Column, rows func(write func(table.Row) error) error) func(io.Writer) error {
	return func(w io.Writer) error {
		enc, err := table.NewStreamEncoder(f.Name, w, columns)
		if err == nil {
			err = rows(enc.Write)
		}
		if err != nil {
			return err
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
	format, f := exportFormat(c), c.Query.Filter(c.Served.Slugs, c.Served.Build)
	columns, file := table.EntityColumns, exports.EntitiesFile
	if c.Query.Has("fields") {
		var err error
		if columns, file, err = exportColumns(c); err != nil {
			return nil, err
		}
	}
	b := c.Served.Build
	if file != "" && f.Empty() && format.Name != table.SpreadsheetCSV && b.OverlayID() == "" {
		return prebuilt(c, file+format.Extension, file+format.Extension)
	}
	return streamed(c, format, "entities", encoded(format, columns, func(write func(table.Row) error) error {
		ranks := ranksByType(b)
		for _, o := range b.InKeyOrder(b.Select(f)) {
			if err := write(table.EntityRow(columns, b.Entity(o), ranks[o])); err != nil {
				return err
			}
		}
		return nil
	})), nil
}

// exportColumns reads the fields parameter of an export of entities. file is the name of the files of
// a build with these columns, if any.
func exportColumns(c *web.Call) (columns []table.Column, file string, err error) {
	all := table.FullColumns(c.Served.Build.Kinds())
	var known []string
	for _, column := range all {
		known = append(known, column.Name)
	}
	names := c.Query.List("fields", append(known, allFields))
	switch {
	case slices.Contains(names, allFields) && len(names) > 1:
		return nil, "", &query.Error{Param: "fields", Message: `"all" already selects every field; use it alone`}
	case slices.Contains(names, allFields):
		return all, exports.FullFile, nil
	}
	columns, err = table.SelectColumns(all, names)
	return columns, "", err
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
		if f.Empty() && format.Name != table.SpreadsheetCSV && b.OverlayID() == "" {
			return prebuilt(c, t.Base+format.Extension, t.Base+format.Extension)
		}
		return streamed(c, format, t.Base, encoded(format, t.Columns, func(write func(table.Row) error) error {
			for _, o := range b.InKeyOrder(b.Select(f)) {
				for _, row := range t.Rows(b.Entity(o), b.Namespace) {
					if err := write(row); err != nil {
						return err
					}
				}
			}
			return nil
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
	order := func() []uint32 { return catalogue.InRankOrder(catalogue.Board(name, "", "composite")) }
	row := func(o uint32, rank int) table.Row {
		return table.EntityRow(table.LeaderboardColumns, catalogue.Entity(o), rank)
	}
	if own != nil {
		r, err := rankingAt(c, own, catalogue)
		if err != nil {
			return nil, err
		}
		columns, order = table.BoardColumns, func() []uint32 { return r.Order(board.ScoreName) }
		row = func(o uint32, rank int) table.Row {
			return table.BoardRow(r.Catalogue.Entity(o), rank, r.Entries[rank-1].Score)
		}
	}
	if l.day == "" && format.Name == "json" && c.Served.Build.OverlayID() == "" {
		stored, ok := c.Served.Build.Leaderboard(name)
		if !ok {
			return nil, fmt.Errorf("the leaderboard %s of the build: %w", name, fs.ErrNotExist)
		}
		return &web.Reply{MediaType: web.JSONType, Attachment: base + format.Extension,
			File: &web.FileReply{Content: bytes.NewReader(stored.JSON), ETag: etagBase(store.File{SHA256: stored.SHA256}), SHA256: stored.SHA256, Encode: true}}, nil
	}
	return streamed(c, format, base, encoded(format, columns, func(write func(table.Row) error) error {
		for i, o := range order() {
			if err := write(row(o, i+1)); err != nil {
				return err
			}
		}
		return nil
	})), nil
}

// ExportChangelog handles GET /api/export/changelog.
func (a *API) ExportChangelog(c *web.Call) (*web.Reply, error) {
	format, f := exportFormat(c), changeFilter(c)
	if !c.Query.Has("since") && !c.Query.Has("type") && format.Name != table.SpreadsheetCSV {
		return prebuilt(c, exports.ChangelogFile+format.Extension, "changelog"+format.Extension)
	}
	history := c.Served.Build.History()
	write := encoded(format, table.ChangeColumns, func(write func(table.Row) error) error {
		for it := history.SelectChanges(f).Iterator(); it.HasNext(); {
			if err := write(table.ChangeRow(history.Change(int(it.Next())))); err != nil {
				return err
			}
		}
		return nil
	})
	// In JSON, changes are as the build stores them.
	lines := func(w io.Writer) error {
		for it := history.SelectChanges(f).Iterator(); it.HasNext(); {
			if _, err := w.Write(append(slices.Clip(history.ChangeLine(int(it.Next()))), '\n')); err != nil {
				return err
			}
		}
		return nil
	}
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
	h := http.Header{"Link": c.Served.Licenses}
	return &web.Reply{MediaType: web.JSONType, Header: h, Build: m.ID, Body: append(body, '\n')}, nil
}
