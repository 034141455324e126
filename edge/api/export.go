package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/didyoumean"
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
func exportFormat(c *web.Call) (table.Format, error) {
	name, err := c.Query.OneOf("format", formatNames[0], formatNames)
	if err != nil {
		return table.Format{}, err
	}
	f, _ := table.FormatByName(name)
	kind, err := c.Query.OneOf("csv", plainCSV, []string{plainCSV, spreadsheetCSV})
	switch {
	case err != nil:
		return table.Format{}, err
	case c.Query.Has("csv") && name != "csv":
		return table.Format{}, &query.Error{Param: "csv", Message: "applies to CSV only; use it with format=csv"}
	case kind == spreadsheetCSV:
		f.Name = table.SpreadsheetCSV
	}
	return f, nil
}

// writeRows encodes the rows one by one and writes them in chunks of a reasonable size.
func writeRows(w io.Writer, format string, columns []table.Column, n int, row func(int) (table.Row, error)) error {
	var one [1]table.Row
	return writeItems(w, format, columns, n, func(i int) (rows []table.Row, err error) {
		one[0], err = row(i)
		return one[:], err
	})
}

// writeItems is like writeRows for items that have any number of rows.
func writeItems(w io.Writer, format string, columns []table.Column, n int, rows func(int) ([]table.Row, error)) error {
	buf := &chunkWriter{w: w}
	enc, err := table.NewStreamEncoder(format, buf, columns)
	if err != nil {
		return err
	}
	for i := range n {
		list, err := rows(i)
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := enc.Write(r); err != nil {
				return err
			}
		}
	}
	if err := enc.Close(); err != nil {
		return err
	}
	return buf.flush()
}

// chunkWriter combines small writes.
type chunkWriter struct {
	w   io.Writer
	buf []byte
}

// Write implements io.Writer.
func (c *chunkWriter) Write(b []byte) (int, error) {
	c.buf = append(c.buf, b...)
	return len(b), c.flushLarge()
}

// WriteString implements io.StringWriter.
func (c *chunkWriter) WriteString(s string) (int, error) {
	c.buf = append(c.buf, s...)
	return len(s), c.flushLarge()
}

func (c *chunkWriter) flushLarge() error {
	if len(c.buf) < 64<<10 {
		return nil
	}
	return c.flush()
}

func (c *chunkWriter) flush() error {
	_, err := c.w.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

// prebuilt returns a reply with a file of the build. attachment is the file name under which
// clients should save it. A table is offered as its stored gzip member only; what is small is compressed
// when it is sent. What is stored compressed only is decompressed while it is sent, and a JSON array
// that is not stored is made from the lines of JSON.
func prebuilt(c *web.Call, name, attachment string) (*web.Reply, error) {
	b := c.Served.Build
	data, f, ok := b.File(name)
	if !ok {
		return unpacked(c, name, attachment)
	}
	member, _, stored := b.File(name + store.GzipExtension)
	columnar := path.Ext(name) == ".parquet"
	return &web.Reply{MediaType: f.MediaType, Attachment: attachment,
		File: &web.FileReply{Content: bytes.NewReader(data), ETag: web.ETag(etagBase(f), web.Identity), SHA256: f.SHA256,
			Variant: func(enc string) (web.Variant, bool) {
				return web.Variant{Body: member, ETag: web.ETag(etagBase(f), enc)}, !stored && !columnar || stored && enc == "gzip"
			}}}, nil
}

// unpacked returns a reply with a table that is not stored in the form of the file name.
func unpacked(c *web.Call, name, attachment string) (*web.Reply, error) {
	from, array := name, false
	member, f, ok := c.Served.Build.File(from + store.GzipExtension)
	if base, isJSON := strings.CutSuffix(name, ".json"); !ok && isJSON {
		from, array = base+".jsonl", true
		member, f, ok = c.Served.Build.File(from + store.GzipExtension)
	}
	if !ok {
		return nil, fmt.Errorf("%s of the build: %w", name, fs.ErrNotExist)
	}
	r := &web.Reply{MediaType: f.MediaType, Attachment: attachment, ETagSeed: name + " " + f.SHA256}
	if array {
		r.MediaType = web.JSONType
	} else {
		r.Gzip = &web.FileReply{Content: bytes.NewReader(member), ETag: web.ETag(etagBase(f), "gzip"), SHA256: f.SHA256}
	}
	r.Stream = func(w io.Writer) error {
		text, err := gzip.NewReader(bytes.NewReader(member))
		if err != nil {
			return err
		}
		if !array {
			_, err = io.Copy(w, text)
			return err
		}
		out := &chunkWriter{w: w}
		elements := table.NewArrayWriter(out)
		if _, err := io.Copy(elements, text); err != nil {
			return err
		}
		return errors.Join(elements.Close(), out.flush())
	}
	return r, nil
}

// storedBoard returns a reply with a leaderboard as the build stores it.
func storedBoard(c *web.Call, board, attachment string) (*web.Reply, error) {
	l, ok := c.Served.Build.Leaderboard(board)
	if !ok {
		return nil, fmt.Errorf("the leaderboard %s of the build: %w", board, fs.ErrNotExist)
	}
	base := etagBase(store.File{SHA256: l.SHA256})
	return &web.Reply{MediaType: web.JSONType, Attachment: attachment,
		File: &web.FileReply{Content: bytes.NewReader(l.JSON), ETag: web.ETag(base, web.Identity), SHA256: l.SHA256,
			Variant: func(enc string) (web.Variant, bool) { return web.Variant{ETag: web.ETag(base, enc)}, true }}}, nil
}

// etagBase returns the base of a file's entity tag.
func etagBase(f store.File) string { return f.SHA256[:min(32, len(f.SHA256))] }

// categoriesAt returns the categories that records can be in on a day: the current categories
// and, for a past day, all former ones as well.
func categoriesAt(c *web.Call, day string) []string {
	if day == "" {
		return c.Served.Slugs
	}
	return allCategories(c)
}

// boardNamesAt returns the names of the leaderboards on a day: all, the categories, and the
// published boards.
func boardNamesAt(c *web.Call, day string) []string {
	boards := c.Served.Own.Published()
	names := slices.Concat([]string{view.AllBoard}, categoriesAt(c, day))
	for _, b := range boards {
		names = append(names, b.Slug)
	}
	return names
}

// withFormer returns categories and the former slugs of all categories.
func withFormer(c *web.Call, categories []string) []string {
	all := slices.Clone(categories)
	for _, category := range c.Served.Categories {
		all = append(all, category.Formerly...)
	}
	return all
}

// boardParam returns the requested leaderboard's name, or an error with a suggestion if it does
// not exist on that day.
func boardParam(c *web.Call, name, day string) (string, error) {
	if name == view.AllBoard || slices.Contains(categoriesAt(c, day), name) {
		return name, nil
	}
	known := boardNamesAt(c, day)
	what := "category"
	if len(c.Served.Own.Boards) > 0 {
		what = "category or board"
	}
	p := web.NewProblem("unknown-category", fmt.Sprintf("There is no %s %q; expected one of: %s.", what, web.Shorten(name), strings.Join(known, ", ")))
	return "", p.WithSuggestion(didyoumean.Name(name, known))
}

// ExportLeaderboard handles GET /api/export/leaderboard.
func (a *API) ExportLeaderboard(c *web.Call) (*web.Reply, error) {
	format, err := exportFormat(c)
	if err != nil {
		return nil, err
	}
	day, err := atParam(c)
	if err != nil {
		return nil, err
	}
	if text, err := c.Query.Text("category"); err != nil {
		return nil, err
	} else if own := c.Served.Own.Find(text); own != nil {
		return exportBoard(c, own, day, format)
	}
	known := boardNamesAt(c, day)
	category, err := c.Query.OneOf("category", view.AllBoard, withFormer(c, known))
	if err != nil {
		return nil, err
	}
	category, _ = c.Served.Build.Preferred("category", category)
	from, err := catalogueAt(c, day)
	if err != nil {
		return nil, err
	}
	name := "leaderboard-" + category
	if day != "" {
		name += "-" + day
	}
	name += format.Extension
	if day == "" && format.Name == "json" && c.Served.Build.OverlayID() == "" {
		return storedBoard(c, category, name)
	}
	return &web.Reply{MediaType: format.MediaType, Attachment: name,
		ETagSeed: c.Request.URL.Path + "?" + c.Query.Canonical(),
		Stream: func(w io.Writer) error {
			set := from.Board(category, "", "composite")
			order := from.InRankOrder(set)
			return writeRows(w, format.Name, table.LeaderboardColumns, len(order), func(i int) (table.Row, error) {
				e := from.Entity(order[i])
				return table.LeaderboardRow(e, i+1), nil
			})
		}}, nil
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
