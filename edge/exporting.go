package edge

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"kindex/edge/query"
	"kindex/exports"
	"kindex/exports/nearest"
)

// formatNames are the values of the format parameter; the first is the default.
var formatNames = func() []string {
	var names []string
	for _, f := range exports.Formats {
		names = append(names, f.Name)
	}
	return names
}()

// The values of the csv parameter; the first is the default.
const (
	plainCSV       = "plain"
	spreadsheetCSV = "spreadsheet"
)

// format returns the form of an export. CSV for spreadsheets has a name of its
// own; no build has files of it.
func (c *call) format() (exports.Format, error) {
	name, err := c.query.OneOf("format", formatNames[0], formatNames)
	if err != nil {
		return exports.Format{}, err
	}
	f, _ := exports.FormatByName(name)
	kind, err := c.query.OneOf("csv", plainCSV, []string{plainCSV, spreadsheetCSV})
	switch {
	case err != nil:
		return exports.Format{}, err
	case c.query.Has("csv") && name != "csv":
		return exports.Format{}, &query.Error{Param: "csv", Message: "says how CSV is written; use it with format=csv"}
	case kind == spreadsheetCSV:
		f.Name = exports.SpreadsheetCSV
	}
	return f, nil
}

// exportHeader are the headers of every bulk answer.
func (c *call) exportHeader(name string, f exports.Format) http.Header {
	h := http.Header{"Content-Disposition": {fmt.Sprintf(`attachment; filename="%s%s"`, name, f.Extension)}}
	addLicense(h, string(c.view.build.Manifest.License))
	return h
}

// addLicense links to the texts of the licences that an SPDX expression names
// (RFC 8288, relation type license).
func addLicense(h http.Header, expression string) {
	for _, part := range strings.Split(expression, " AND ") {
		if part != "" && !strings.ContainsAny(part, " ()") {
			h.Add("Link", fmt.Sprintf(`<https://spdx.org/licenses/%s.html>; rel="license"`, part))
		}
	}
}

// GET /api/export/entities
func (s *Server) exportEntities(c *call) (*reply, error) {
	format, err := c.format()
	if err != nil {
		return nil, err
	}
	f, err := c.query.Filter(c.view.slugs)
	if err != nil {
		return nil, err
	}
	columns, at := exports.EntityColumns, []int(nil)
	if c.query.Has("fields") {
		names, err := c.query.List("fields", columnNames(exports.EntityColumns))
		if err != nil {
			return nil, err
		}
		if columns, at, err = exports.SelectColumns(exports.EntityColumns, names); err != nil {
			return nil, err
		}
	}
	header := c.exportHeader("entities", format)
	if f.Empty() && at == nil && format.Name != exports.SpreadsheetCSV && c.view.build.DraftID() == "" {
		return c.prebuilt(exports.EntitiesFile+format.Extension, header)
	}
	set, err := c.view.build.Select(f)
	if err != nil {
		return nil, err
	}
	order := c.view.build.InKeyOrder(set)
	return &reply{mediaType: format.MediaType, header: header,
		seed: c.request.URL.Path + "?" + c.query.Canonical(),
		stream: func(w io.Writer) error {
			return writeRows(w, format.Name, columns, len(order), func(i int) (exports.Row, error) {
				row, err := exports.ParseRow(c.view.build.ExportRow(order[i]), exports.EntityColumns)
				return pick(row, at), err
			})
		}}, nil
}

func columnNames(columns []exports.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// pick narrows a row to some columns, nil for all.
func pick(row exports.Row, at []int) exports.Row {
	if at == nil || row == nil {
		return row
	}
	out := make(exports.Row, len(at))
	for i, j := range at {
		out[i] = row[j]
	}
	return out
}

// writeRows encodes rows as they come, in chunks that are worth sending.
func writeRows(w io.Writer, format string, columns []exports.Column, n int, row func(int) (exports.Row, error)) error {
	buf := &chunked{w: w}
	enc, err := exports.NewEncoder(format, buf, columns)
	if err != nil {
		return err
	}
	for i := range n {
		r, err := row(i)
		if err != nil {
			return err
		}
		if err := enc.Write(r); err != nil {
			return err
		}
	}
	if err := enc.Close(); err != nil {
		return err
	}
	return buf.flush()
}

// chunked gathers small writes.
type chunked struct {
	w   io.Writer
	buf []byte
}

// Write implements io.Writer.
func (c *chunked) Write(b []byte) (int, error) {
	c.buf = append(c.buf, b...)
	return len(b), c.flushLarge()
}

// WriteString implements io.StringWriter.
func (c *chunked) WriteString(s string) (int, error) {
	c.buf = append(c.buf, s...)
	return len(s), c.flushLarge()
}

func (c *chunked) flushLarge() error {
	if len(c.buf) < 64<<10 {
		return nil
	}
	return c.flush()
}

func (c *chunked) flush() error {
	_, err := c.w.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

// prebuilt answers with a file of the build.
func (c *call) prebuilt(name string, header http.Header) (*reply, error) {
	data, f, ok := c.view.build.File(name)
	if !ok {
		return nil, fmt.Errorf("the build has no file %s", name)
	}
	sum, err := hex.DecodeString(f.SHA256)
	if err != nil {
		return nil, err
	}
	header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":")
	r := &reply{mediaType: f.MediaType, header: header,
		file: &fileReply{content: bytes.NewReader(data), etag: entityTag(shortSum(f), identity), variants: map[string]variant{}}}
	for _, enc := range exports.Encodings {
		if body, _, ok := c.view.build.File(name + exports.EncodingExtension(enc)); ok {
			r.file.variants[enc] = variant{body, entityTag(shortSum(f), enc)}
		}
	}
	return r, nil
}

// shortSum is what the entity tag of a file is made of.
func shortSum(f exports.File) string { return f.SHA256[:min(32, len(f.SHA256))] }

// categoriesAt are the categories that records of a day may have: those of today,
// and for an earlier day those that records ever had.
func (c *call) categoriesAt(day string) []string {
	if day == "" {
		return c.view.slugs
	}
	return c.categoriesEver()
}

// board returns the name of a leaderboard of a day, or what was probably meant.
func (c *call) board(name, day string) (string, error) {
	known := append([]string{exports.AllBoard}, c.categoriesAt(day)...)
	if slices.Contains(known, name) {
		return name, nil
	}
	p := newProblem("unknown-category", fmt.Sprintf("There is no category %q; known are %s.", shorten(name), strings.Join(known, ", ")))
	return "", p.suggest(nearest.Name(name, known))
}

// GET /api/export/leaderboard
func (s *Server) exportLeaderboard(c *call) (*reply, error) {
	format, err := c.format()
	if err != nil {
		return nil, err
	}
	day, err := c.day()
	if err != nil {
		return nil, err
	}
	category, err := c.query.OneOf("category", exports.AllBoard, append([]string{exports.AllBoard}, c.categoriesAt(day)...))
	if err != nil {
		return nil, err
	}
	from, asOf, err := c.catalogue(day)
	if err != nil {
		return nil, err
	}
	name := "leaderboard-" + category
	if asOf != "" {
		name += "-" + asOf
	}
	header := c.exportHeader(name, format)
	if day == "" && format.Name == "json" && c.view.build.DraftID() == "" {
		return c.prebuilt(exports.LeaderboardFile(category), header)
	}
	set, err := from.Board(category, "", "composite")
	if err != nil {
		return nil, err
	}
	order := from.InRankOrder(set)
	return &reply{mediaType: format.MediaType, header: header,
		seed: c.request.URL.Path + "?" + c.query.Canonical(),
		stream: func(w io.Writer) error {
			return writeRows(w, format.Name, exports.LeaderboardColumns, len(order), func(i int) (exports.Row, error) {
				e, err := from.Entity(order[i])
				if err != nil {
					return nil, err
				}
				return e.LeaderboardRow(i + 1), nil
			})
		}}, nil
}

// GET /api/export/manifest
//
// Every file is named with the address where its bytes never change. Edits
// are in no file yet, so the answer is that of the build without them.
func (s *Server) exportManifest(c *call) (*reply, error) {
	m := *c.view.build.Manifest
	type file struct {
		exports.File
		URL string `json:"url"`
	}
	answer := struct {
		exports.Manifest
		Files []file `json:"files"`
	}{Manifest: m}
	for _, f := range m.Files {
		answer.Files = append(answer.Files, file{f, "/data/" + m.ID + "/" + f.Path})
	}
	body, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	addLicense(h, string(m.License))
	return &reply{mediaType: jsonType, header: h, build: m.ID, body: append(body, '\n')}, nil
}
