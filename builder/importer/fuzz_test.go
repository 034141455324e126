package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/importer"
	"kindex/builder/suite"
)

const fuzzMapping = `type: model
fields:
  name: {column: name, optional: true}
  category: {constant: tools}
  description: {column: text, default: A tool., optional: true}
  tags: {column: tags, list: python, as: slug, optional: true}
signals:
  stars: {value: {column: stars, optional: true}}
  lastRelease: {value: {column: released, optional: true}}
  benchmarks: [{each: tests, optional: true, name: name, value: score, details: [kind]}]
ids: {npm: {column: ids, optional: true}}
offers: [{each: offers, optional: true, provider: {constant: a}, id: id, input: in, output: out, tiers: {each: tiers, over: over, input: in}, modes: {batch: {input: half}}}]
`

// FuzzImport checks that, for any input, all rows are counted, what is written is valid, each refused row has a
// reason, and refused rows are kept: as a file of their own, they are as many rows.
func FuzzImport(f *testing.F) {
	f.Add([]byte("name,text,tags,stars,released\n\"a\"b,c\nd,e,f\n\xff,g\nh,i,['a'],3.0,2026-01-01\n\"x\ny\",\n"), false)
	f.Add([]byte("name,text,import_reason\na,,x\n\"b,c"), false)
	f.Add([]byte("\ufeffname;stars\r\n锤子;1.234\r\n"), false)
	f.Add([]byte("{\"name\":\"a\",\"tests\":[{\"name\":\"b\",\"score\":1}]}\n{\"name\":{}}\n[\n{\"import_reason\":1}\n\xff\n{}x\n {} \n"), true)
	f.Add([]byte("{\"name\":\"a\",\"offers\":[{\"id\":\"b\",\"in\":0.1234567,\"out\":0,\"tiers\":[{\"over\":1,\"in\":1e-9}],\"half\":[1,2]}],\"ids\":1e300}\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, jsonl bool) {
		dir := t.TempDir()
		ext := map[bool]string{true: ".jsonl", false: ".csv"}[jsonl]
		o := importer.Options{Input: filepath.Join(dir, "list"+ext), Mapping: filepath.Join(dir, "list.yaml"), Content: filepath.Join(dir, "content"),
			Rejects: filepath.Join(dir, "rejects"+ext), Date: "2026-11-01"}
		for path, text := range map[string][]byte{o.Input: data, o.Mapping: []byte(fuzzMapping)} {
			suite.Check(t, os.WriteFile(path, text, 0o600))
		}
		if _, err := importer.Run(t.Context(), withDryRun(o)); err != nil {
			return
		}
		first, err := importer.Run(t.Context(), o)
		if err != nil || first.Written+first.Unchanged+first.Refused != first.Rows {
			t.Fatalf("%v: %+v", err, first)
		}
		if _, problems, err := content.Load(o.Content, nil); first.Written > 0 && (err != nil || problems.HasErrors()) {
			t.Errorf("the written files are invalid: %v %v", err, problems)
		}
		for _, r := range first.Refusals {
			if len(r.Reasons) == 0 || strings.ContainsAny(r.Reasons[0].String(), "\n\r\x1b") {
				t.Errorf("not a reason: %+v", r)
			}
		}
		o.Input = o.Rejects
		if again, err := importer.Run(t.Context(), withDryRun(o)); err != nil || again.Rows != first.Refused {
			t.Errorf("%v: %+v, of which %d were refused", err, again, first.Refused)
		}
	})
}

func withDryRun(o importer.Options) importer.Options {
	o.DryRun, o.Rejects = true, ""
	return o
}
