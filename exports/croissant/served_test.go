package croissant_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

func TestMain(m *testing.M) { edgetest.Main(m) }

// get fetches a URL and expects status 200.
func get(t *testing.T, address string) (http.Header, []byte) {
	t.Helper()
	res := suite.Must(http.Get(address))(t)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %.200s", address, res.StatusCode, err, body)
	}
	return res.Header, body
}

// TestServed reads the dataset like a loader that knows nothing but its description.
func TestServed(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{})
	header, doc := get(t, e.URL+"/api/export/croissant")
	suite.Equal(t, header.Get("Content-Type"), `application/ld+json; profile="http://mlcommons.org/croissant/1.1"`, "Content-Type")
	for _, v := range violations(doc) {
		t.Error(v)
	}
	var d map[string]any
	suite.Check(t, json.Unmarshal(doc, &d))
	build := header.Get("X-Build")
	if !strings.HasSuffix(text(d["version"]), "+"+build) || !strings.Contains(text(d["citeAs"]), build) {
		t.Errorf("build %s has the version %v and is cited as %v", build, d["version"], d["citeAs"])
	}
	files := map[string][]byte{}
	for _, o := range objects(d["distribution"]) {
		files[text(o["@id"])] = download(t, o)
	}
	for _, name := range []string{"entities.csv", "entities.json", "entities.jsonl", "entities.parquet", "changelog.parquet", "leaderboards.json", "categories.json"} {
		if files[name] == nil {
			t.Errorf("%s is not in the distribution", name)
		}
	}
	rows := map[string]int{}
	for _, set := range objects(d["recordSet"]) {
		rows[text(set["@id"])] = readRecords(t, set, files)
	}
	var m struct {
		Counts struct{ Entities, Ranked, Categories int }
	}
	_, manifest := get(t, e.URL+"/api/export/manifest")
	suite.Check(t, json.Unmarshal(manifest, &m))
	lines := func(table string) int {
		_, text := get(t, e.URL+"/api/export/"+strings.Replace(table, "?", "?format=jsonl&", 1))
		return bytes.Count(text, []byte("\n"))
	}
	want := map[string]int{"entities": m.Counts.Entities, "entities_full": m.Counts.Entities, "signals": lines("signals?"), "benchmarks": lines("benchmarks?"),
		"entities_model": lines("entities?type=model"), "entities_tool": lines("entities?type=tool"), "offers": lines("offers?"), "ids": lines("ids?"), "leaderboard": m.Counts.Ranked, "categories": m.Counts.Categories,
		"changelog": lines("changelog?")}
	if fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("the sets have %v records, want %v", rows, want)
	}
}

// download fetches a file and checks it against its description.
func download(t *testing.T, o map[string]any) []byte {
	t.Helper()
	header, body := get(t, text(o["contentUrl"]))
	suite.Equal[any](t, fmt.Sprintf("%d B", len(body)), o["contentSize"], o["@id"])
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != o["sha256"] {
		t.Errorf("%v has another checksum", o["@id"])
	}
	mediaType, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if !slices.Contains(texts(o["encodingFormat"]), mediaType) {
		t.Errorf("%v is served as %s, not as %v", o["@id"], mediaType, o["encodingFormat"])
	}
	if license := header.Get("Link"); strings.Count(license, `; rel="license"`) != len(texts(o["license"])) {
		t.Errorf("%v has the licences %v, and is served with %v", o["@id"], o["license"], license)
	}
	for _, other := range texts(o["sameAs"]) {
		get(t, other)
	}
	return body
}

// readRecords reads the records of a set from the sources of its fields. It returns the
// number of records. It also checks that values have the right type and that keys are unique.
func readRecords(t *testing.T, set map[string]any, files map[string][]byte) int {
	t.Helper()
	fields := objects(set["field"])
	source := fields[0]["source"].(map[string]any)
	file := files[text(source["fileObject"].(map[string]any)["@id"])]
	var records []map[string]any
	if source["extract"].(map[string]any)["column"] != nil {
		records = parquetRecords(t, file)
	} else {
		if member, _, ok := strings.Cut(strings.TrimPrefix(text(source["extract"].(map[string]any)["jsonPath"]), "$."), "[*]"); ok && !strings.HasPrefix(member, "$") {
			var whole map[string]json.RawMessage
			if err := json.Unmarshal(file, &whole); err != nil {
				t.Fatalf("%v: %v", set["@id"], err)
			}
			file = whole[member]
		}
		if err := json.Unmarshal(file, &records); err != nil {
			t.Fatalf("%v: %v", set["@id"], err)
		}
	}
	known := map[string]bool{}
	for _, f := range fields {
		extract := f["source"].(map[string]any)["extract"].(map[string]any)
		column := text(extract["column"])
		if column == "" {
			_, column, _ = strings.Cut(text(extract["jsonPath"]), "[*].")
		}
		known[column] = true
		for i, r := range records {
			if value, ok := r[column]; !ok || !fits(value, f) {
				t.Fatalf("record %d of %v has %s = %v (%T), which is not a %v", i, set["@id"], column, value, value, f["dataType"])
			}
		}
	}
	for column := range records[0] {
		if !known[column] {
			t.Errorf("%v does not describe %s", set["@id"], column)
		}
	}
	unique(t, set, records)
	return len(records)
}

// fits reports whether a value is null or has the first of a field's types.
func fits(value any, f map[string]any) bool {
	list, isList := value.([]any)
	if array, _ := f["isArray"].(bool); array != isList {
		return false
	}
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	if value == nil || isList {
		return true
	}
	number, isNumber := value.(float64)
	words, isText := value.(string)
	switch texts(f["dataType"])[0] {
	case "sc:Float":
		return isNumber
	case "sc:Boolean":
		_, ok := value.(bool)
		return ok
	case "sc:Integer":
		return isNumber && number == float64(int64(number))
	case "sc:Date":
		return isText && day(words)
	case "sc:DateTime":
		_, err := time.Parse(time.RFC3339, words)
		return isText && err == nil
	}
	return isText
}

func unique(t *testing.T, set map[string]any, records []map[string]any) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range records {
		key := ""
		for _, k := range objects(set["key"]) {
			key += fmt.Sprint(r[strings.TrimPrefix(text(k["@id"]), text(set["@id"])+"/")], "\x00")
		}
		if key == "" || seen[key] {
			t.Fatalf("%v has the key %q twice", set["@id"], key)
		}
		seen[key] = true
	}
}

// parquetRecords reads the records of a Parquet file, using the types in its
// schema.
func parquetRecords(t *testing.T, file []byte) []map[string]any {
	t.Helper()
	r := parquet.NewGenericReader[any](bytes.NewReader(file))
	defer r.Close()
	kinds := map[string]string{}
	for _, f := range r.Schema().Fields() {
		if !f.Leaf() {
			continue
		}
		if l := f.Type().LogicalType(); l != nil {
			kinds[f.Name()] = l.String()
		}
	}
	rows := make([]any, r.NumRows())
	if n, err := r.Read(rows); n != len(rows) {
		t.Fatalf("%d of %d rows: %v", n, len(rows), err)
	}
	records := make([]map[string]any, len(rows))
	for i, row := range rows {
		records[i] = row.(map[string]any)
		for name, v := range records[i] {
			records[i][name] = plain(v, kinds[name])
		}
	}
	return records
}

// plain converts a value of a Parquet file to its JSON form.
func plain(v any, kind string) any {
	if kind == "JSON" { // this Parquet reader has already parsed the JSON; other readers return a string
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // cannot happen: the value was parsed from JSON
		}
		return string(b)
	}
	switch v := v.(type) {
	case []byte:
		return string(v)
	case int32:
		if kind == "DATE" {
			return time.Unix(int64(v)*86400, 0).UTC().Format(time.DateOnly)
		}
		return float64(v)
	case int64:
		if strings.HasPrefix(kind, "TIMESTAMP") {
			return time.UnixMilli(v).UTC().Format(time.RFC3339)
		}
		return float64(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	}
	return v
}

// TestPublicAddress checks that files are available at the public address that the
// operator configured, and that unchanged files are not sent again.
func TestPublicAddress(t *testing.T) {
	e := edgetest.Start(t, edge.Options{URL: "https://kindex.example.org/"})
	header, doc := get(t, e.URL+"/api/export/croissant")
	if !bytes.Contains(doc, []byte(`"contentUrl": "https://kindex.example.org/data/`)) || bytes.Contains(doc, []byte(e.URL)) {
		t.Errorf("the files are not at the public address: %s", doc)
	}
	again, other := get(t, e.URL+"/api/export/croissant")
	if !bytes.Equal(doc, other) || header.Get("ETag") == "" || header.Get("ETag") != again.Get("ETag") {
		t.Errorf("ETag %s, and then %s", header.Get("ETag"), again.Get("ETag"))
	}
	req := suite.Must(http.NewRequest(http.MethodGet, e.URL+"/api/export/croissant", nil))(t)
	req.Header.Set("If-None-Match", header.Get("ETag"))
	res := suite.Must(http.DefaultClient.Do(req))(t)
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusNotModified {
		t.Errorf("%d, %v instead of 304", res.StatusCode, err)
	}
}
