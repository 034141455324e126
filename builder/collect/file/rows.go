package file

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kindex/builder/collect"
)

// entry is a part of a JSON document, with the name of its last member, or "" in an array.
type entry struct {
	key   string
	value any
}

// rowsAt returns the parts of a JSON document at a path: names of members, separated by dots, and * for
// all entries of an array or members of an object. "" is a document that is an array, or one row.
func rowsAt(data []byte, at string) ([]entry, error) {
	var doc any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("the document is not JSON: %w", err)
	}
	list := []entry{{value: doc}}
	for step := range strings.SplitSeq(at, ".") {
		var next []entry
		for _, e := range list {
			array, isArray := e.value.([]any)
			object, isObject := e.value.(map[string]any)
			switch {
			case step == "" && !isArray:
				next = append(next, e)
			case isArray && (step == "*" || step == ""):
				for _, v := range array {
					next = append(next, entry{value: v})
				}
			case !isObject:
				return nil, fmt.Errorf("the document has nothing to read at rows: %s", at)
			case step == "*":
				for _, key := range slices.Sorted(maps.Keys(object)) {
					next = append(next, entry{key, object[key]})
				}
			case object[step] == nil:
				return nil, fmt.Errorf("the document has no %s, which is in rows: %s", step, at)
			default:
				next = append(next, entry{step, object[step]})
			}
		}
		list = next
	}
	return list, nil
}

// jsonLines appends the rows of a JSON document, one a line, with where each comes from.
func jsonLines(into *bytes.Buffer, data []byte, at, name, address string) error {
	list, err := rowsAt(data, at)
	for _, e := range list {
		row, isRow := e.value.(map[string]any)
		if !isRow {
			return errors.New("a row of the document is not a JSON object; check rows")
		}
		row["_key"], row["_name"], row["_url"] = e.key, name, address
		if err := json.NewEncoder(into).Encode(row); err != nil {
			return err
		}
	}
	return err
}

var (
	ruler = regexp.MustCompile(`^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?$`)
	link  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// tableLines appends the rows of the longest table in a Markdown document, one JSON object a line. Links
// become their texts, and a percent sign at the end of a cell is left out.
func tableLines(into *bytes.Buffer, data []byte) error {
	var longest, table [][]string
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "|") && i+1 < len(lines) && ruler.MatchString(strings.TrimSpace(lines[i+1])):
			table = [][]string{cellsOf(line)}
		case !strings.HasPrefix(line, "|"):
			table = nil
		case table != nil && !ruler.MatchString(line):
			table = append(table, cellsOf(line))
		}
		if len(table) > len(longest) {
			longest = table
		}
	}
	if len(longest) < 2 {
		return errors.New("the document has no table")
	}
	for _, cells := range longest[1:] {
		row := map[string]string{}
		for i, name := range longest[0][:min(len(longest[0]), len(cells))] {
			row[name] = cells[i]
		}
		_ = json.NewEncoder(into).Encode(row) // texts can always be encoded
	}
	return nil
}

func cellsOf(line string) (cells []string) {
	for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		cell = link.ReplaceAllString(strings.Trim(strings.TrimSpace(cell), "*`"), "$1")
		cells = append(cells, strings.TrimSpace(strings.TrimSuffix(cell, "%")))
	}
	return cells
}

// rowsOf returns the name and the content of a file that the importer can read; without content, it reads the file.
func (s *list) rowsOf(ctx context.Context, c *collect.Client) (string, []byte, error) {
	names, err := s.names(ctx, c)
	if err != nil {
		return "", nil, err
	}
	lines := bytes.NewBuffer([]byte{})
	for _, name := range names {
		address := strings.ReplaceAll(s.config.URL, "{}", url.PathEscape(name))
		form := formOf(cmp.Or(address, filepath.ToSlash(s.config.Path)))
		convert := form == jsonForm || form == tableForm
		if address == "" && !convert {
			return s.config.Path, nil, nil
		}
		data, from, err := s.get(ctx, c, address)
		switch {
		case err != nil:
			return "", nil, err
		case !convert:
			return "list" + form, data, nil
		case form == tableForm:
			err = tableLines(lines, data)
		default:
			err = jsonLines(lines, data, s.config.Rows, name, from)
		}
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", cmp.Or(address, s.config.Path), err)
		}
	}
	return "list.jsonl", lines.Bytes(), nil
}

const maxDocuments = 1000

func (s *list) names(ctx context.Context, c *collect.Client) ([]string, error) {
	names := s.config.Names
	if x := s.config.Index; x != nil {
		data, _, err := s.get(ctx, c, x.URL)
		if err != nil {
			return nil, err
		}
		list, err := rowsAt(data, x.Rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.URL, err)
		}
		for _, e := range list {
			name, isText := e.value.(string)
			if !isText {
				name = e.key
			}
			names = append(names, name)
		}
	}
	if len(names) > maxDocuments {
		return nil, fmt.Errorf("the list has %d documents; at most %d are read", len(names), maxDocuments)
	}
	if len(names) == 0 {
		names = []string{""}
	}
	return names, nil
}

const (
	jsonForm  = ".json"
	tableForm = ".md"
)

// formOf returns the form of a list, as the end of its name says; without one, it is JSON.
func formOf(name string) string {
	if u, err := url.Parse(name); err == nil {
		name = u.Path
	}
	plain, zipped := strings.CutSuffix(strings.ToLower(name), ".gz")
	form := path.Ext(plain)
	switch {
	case zipped:
		return form + ".gz"
	case slices.Contains([]string{".csv", ".tsv", ".tab", ".jsonl", ".ndjson", tableForm}, form):
		return form
	}
	return jsonForm
}

// get reads a document on the web or, without an address, the file. from is the address that answered.
func (s *list) get(ctx context.Context, c *collect.Client, address string) (data []byte, from string, err error) {
	if address == "" {
		data, err = os.ReadFile(s.config.Path)
		return data, s.page, err
	}
	if s.endpoint != "" {
		u, err := url.Parse(address)
		if err != nil {
			return nil, "", err
		}
		address = s.endpoint + u.RequestURI()
	}
	resp, err := c.Do(ctx, collect.Request{URL: address, Accept: "*/*"})
	if err == nil && resp.Status != http.StatusOK {
		err = fmt.Errorf("%s responded with status %d", address, resp.Status)
	}
	if err != nil {
		return nil, "", err
	}
	return resp.Body, resp.URL, nil
}
