package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/importer/mapping"
	"kindex/exports/kinds"
)

const fuzzMapping = `type: tool
fields:
  name: name
  category: {constant: tools}
  description: {column: text, default: A tool.}
  tags: {column: tags, list: python, as: slug}
signals: {stars: stars, lastRelease: released, benchmarks: [{each: tests, name: name, value: score, details: [kind]}]}
ids: {npm: ids}
parameters: {total: size}
offers: [{each: offers, provider: {constant: a}, id: id, input: in, output: out, tiers: {each: tiers, over: over, input: in}, modes: {batch: {input: half}}}]
`

// FuzzRows checks that, for any input, all rows are counted, each row is either written or
// refused with a reason, and refused rows are kept unchanged.
func FuzzRows(f *testing.F) {
	f.Add([]byte("name,text,tags,stars,released\n\"a\"b,c\nd,e,f\n\xff,g\nh,i,['a'],3.0,2026-01-01\n\"x\ny\",\n"), false)
	f.Add([]byte("name,text,import_reason\na,,x\n\"b,c"), false)
	f.Add([]byte("\ufeffname;stars\r\n锤子;1.234\r\n"), false)
	f.Add([]byte("{\"name\":\"a\",\"tests\":[{\"name\":\"b\",\"score\":1}]}\n{\"name\":{}}\n[\n{\"import_reason\":1}\n\xff\n{}x\n {} \n"), true)
	f.Add([]byte("{\"name\":\"a\",\"offers\":[{\"id\":\"b\",\"in\":0.1234567,\"out\":0,\"tiers\":[{\"over\":1,\"in\":1e-9}],\"half\":[1,2]}],\"size\":1e300}\n"), true)
	m, problems := mapping.Parse(kinds.Default(), "list.yaml", []byte(fuzzMapping))
	if len(problems) > 0 {
		f.Fatal(problems)
	}
	drafter := newDrafter(kinds.Default(), m, "2026-11-01")
	f.Fuzz(func(t *testing.T, data []byte, jsonl bool) {
		k := kind{jsonl: jsonl, delimiter: ','}
		list, header, err := readAll(data, k)
		if err != nil {
			return
		}
		for i, r := range list {
			if r.number != i+1 || r.line < 1 || r.wrong == "" && r.fields == nil {
				t.Fatalf("row %d is %+v", i+1, r)
			}
			if r.wrong == "" {
				checkDraft(t, drafter.draft(r.fields))
			}
		}
		again, _, err := readAll(refusedRows(t, list, header, k), k)
		if err != nil || len(again) != len(list) {
			t.Fatalf("%d rows, but %d when they were refused: %v", len(list), len(again), err)
		}
		for i, r := range list {
			if r.wrong == "" && !sameRow(r, again[i]) {
				t.Errorf("row %d was %+v and reads back as %+v", i+1, r, again[i])
			}
		}
	})
}

func readAll(data []byte, k kind) (list []*row, header []string, err error) {
	in, err := newInput(data, k)
	if err != nil {
		return nil, nil, err
	}
	for {
		r, err := in.next()
		if errors.Is(err, io.EOF) {
			return list, in.names, nil
		}
		if err != nil {
			return nil, nil, err
		}
		list = append(list, r)
	}
}

// checkDraft composes the entity of a row; if it can be written, the file is checked.
func checkDraft(t *testing.T, d *Draft) {
	if d.Slug != "" && !content.ValidSlug(d.Slug) {
		t.Errorf("%q is not a valid slug", d.Slug)
	}
	for _, r := range d.Reasons {
		if r.Message == "" || r.Field == "" || bytes.ContainsAny([]byte(r.String()), "\n\r\x1b") {
			t.Errorf("not a reason: %q", r.String())
		}
	}
	if _, err := json.Marshal(d.Fields); err != nil {
		t.Error(err)
	}
	if len(d.Reasons) > 0 {
		return
	}
	data, err := yamlfmt.Compose(kinds.Default(), d.Fields)
	if err != nil {
		return
	}
	if _, problems := content.ParseEntity(kinds.Default(), "x.yaml", "tool", d.Slug, data); len(problems) > 0 && problems[0].Message == "" {
		t.Error(problems)
	}
}

// refusedRows returns the file of rejects that results if every row is refused.
func refusedRows(t *testing.T, list []*row, header []string, k kind) []byte {
	var b bytes.Buffer
	const reason = "a reason, \"quoted\""
	if k.jsonl {
		for _, r := range list {
			b.Write(rejectedLine(r, reason))
		}
		return b.Bytes()
	}
	columns, at := rejectColumns(header)
	cells := [][]string{columns}
	for _, r := range list {
		cells = append(cells, rejectedCells(r, len(header), at, reason))
	}
	if err := csv.NewWriter(&b).WriteAll(cells); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameRow compares two rows, ignoring the reason.
func sameRow(a, b *row) bool {
	delete(a.fields, reasonColumn)
	delete(b.fields, reasonColumn)
	return reflect.DeepEqual(a.fields, b.fields)
}
