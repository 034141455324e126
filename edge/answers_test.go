package edge_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"kindex/builder/suite"
	"kindex/edge/openapi"
	"kindex/edge/web"
	"kindex/exports/kinds"
	"kindex/exports/table"
)

// listPage has the fields that all paged collections have in common.
type listPage struct {
	// For changes, only the ID is set; for points of a series, only Name and Timestamp.
	Data       []struct{ ID, Type, Slug, Name, Timestamp string }
	Count      int
	NextCursor *string
}

// testPaging reads entire collections page by page, with cursors and with offsets.
func testPaging(t *testing.T, c *contract) {
	for _, target := range []struct{ op, path string }{
		{"listEntities", "/api/entities"},
		{"listEntities", "/api/entities?sort=quality&order=asc"},
		{"listEntities", "/api/entities?sort=lastUpdated&type=tool&fields=type,slug"},
		{"searchEntities", "/api/search?q=model"},
		{"listEntities", "/api/entities?at=2026-10-25"},
		{"getLeaderboard", "/api/leaderboard/all"},
		{"getLeaderboard", "/api/leaderboard/all?at=2026-10-25&by=freshness"},
		{"getLeaderboard", "/api/leaderboard/growing-tools?at=2026-10-25"},
		{"listOffers", "/api/offers?family=fixture"},
		{"listChanges", "/api/changelog?since=2026-08-04"},
		{"listEntityChanges", "/api/entity/tool/phoenix/changelog"},
		{"listEntitySignals", "/api/entity/tool/pytorch/signals"},
	} {
		t.Run(target.path, func(t *testing.T) {
			whole := c.walk(t, request{op: target.op, target: target.path}, "100", true)
			few := "2"
			if len(whole) > 50 {
				few = suite.Pick("17", few)
			}
			for _, limit := range []string{few, "50"} {
				for _, byCursor := range []bool{true, false} {
					if byCursor == (limit == "50") && !suite.Soaking() {
						continue // each combination reads and checks all records again
					}
					if got := c.walk(t, request{op: target.op, target: target.path, known: true}, limit, byCursor); !slices.Equal(got, whole) {
						t.Errorf("limit %s, by cursor %v: %d records, in a different order from the %d of large pages", limit, byCursor, len(got), len(whole))
					}
				}
			}
		})
	}
}

// walk reads all pages and returns the records in order.
func (c *contract) walk(t *testing.T, r request, limit string, byCursor bool) []string {
	t.Helper()
	u := suite.Must(url.Parse(r.target))(t)
	query := u.Query()
	query.Set("limit", limit)
	var keys []string
	for {
		u.RawQuery = query.Encode()
		r.target, r.status = u.String(), http.StatusOK
		a := c.send(t, r)
		var p listPage
		a.decode(t, &p)
		for _, e := range p.Data {
			keys = append(keys, cmp.Or(e.ID, strings.Trim(e.Type+"/"+e.Slug, "/"), e.Name+" "+e.Timestamp))
		}
		link := a.header.Get("Link")
		if p.NextCursor == nil {
			suite.Equal(t, link, "", "the Link of the last page")
			suite.Equal(t, len(keys), p.Count, "records")
			break
		}
		follow := strings.TrimSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
		if next, err := url.Parse(follow); err != nil || next.Query().Get("cursor") != *p.NextCursor || next.Query().Has("offset") {
			t.Fatalf("Link %s does not match the cursor %s", link, *p.NextCursor)
		}
		if byCursor {
			query.Set("cursor", *p.NextCursor)
		} else {
			query.Set("offset", jsonText(len(keys)))
		}
	}
	suite.Equal(t, len(slices.Compact(slices.Sorted(slices.Values(keys)))), len(keys), "distinct records")
	return keys
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// testRanges: each range of a file has the same bytes as that part of the whole file.
func testRanges(t *testing.T, c *contract) {
	for _, target := range []struct{ op, path string }{
		{"exportEntities", "/api/export/entities"},
		{"exportEntities", "/api/export/entities?format=csv"},
		{"exportEntities", "/api/export/entities?format=parquet"},
		{"exportEntities", "/api/export/entities?fields=all&format=parquet"},
		{"exportSignals", "/api/export/signals?format=parquet"},
		{"exportBenchmarks", "/api/export/benchmarks?format=parquet"},
		{"exportOffers", "/api/export/offers?format=parquet"},
		{"exportIds", "/api/export/ids?format=parquet"},
		{"exportLeaderboard", "/api/export/leaderboard?category=nlp"},
		{"exportChangelog", "/api/export/changelog?format=parquet"},
		{"getDataFile", "/data/{build}/entities.csv"},
		{"getDataFile", "/data/{build}/entities.csv.gz"},
		{"getDataFile", "/data/{old}/entities.jsonl"},
		{"getTypescriptSdk", "/api/sdk/typescript"},
		{"getTypescriptSdkVersion", "/api/sdk/typescript/0.5.0.tgz"},
		{"getPythonSdk", "/api/sdk/python"},
		{"getPythonSdkVersion", "/api/sdk/python/kindex-0.5.0.tar.gz"},
	} {
		t.Run(target.path, func(t *testing.T) {
			whole := c.send(t, request{op: target.op, target: target.path, status: 200})
			if a := c.send(t, request{op: target.op, target: target.path, status: 200, header: []string{"Accept-Encoding: gzip, zstd"}}); whole.header.Get("Accept-Ranges") != "bytes" ||
				a.header.Get("Content-Encoding") != "" && regexp.MustCompile("parquet|/sdk/").MatchString(target.path) {
				t.Errorf("ranges: %q, coding: %q", whole.header.Get("Accept-Ranges"), a.header.Get("Content-Encoding"))
			}
			get := func(status int, fault string, header ...string) *answer {
				return c.send(t, request{op: target.op, target: target.path, status: status, fault: fault, header: header})
			}
			tag := "If-Range: " + whole.header.Get("ETag")
			n := len(whole.body)
			for _, r := range []struct {
				spec     string
				from, to int
			}{{"0-9", 0, 10}, {"10-", 10, n}, {"-20", n - 20, n}, {"5-5", 5, 6}} {
				a := get(206, "", "Range: bytes="+r.spec, tag, "Accept-Encoding: gzip, zstd, br")
				if !bytes.Equal(a.body, whole.body[r.from:r.to]) || a.header.Get("Content-Encoding") != "" {
					t.Errorf("bytes=%s: %d bytes, which differ from the file", r.spec, len(a.body))
				}
			}
			checkParts(t, get(206, "", "Range: bytes=0-3,8-11"), whole.body[0:4], whole.body[8:12])
			if a := get(200, "", "Range: bytes=0-9", `If-Range: "other"`); !bytes.Equal(a.body, whole.body) {
				t.Error("a changed file is not sent in full")
			}
			checkParts(t, get(206, "", "Range: bytes=-00,0-3, -0,8-11"), whole.body[0:4], whole.body[8:12])
			for _, spec := range []string{"99999999-", "-0", "-0, -000", "5-2", "x", "-"} {
				suite.Equal(t, get(416, "Range", "Range: bytes="+spec).header.Get("Content-Range"), fmt.Sprint("bytes */", n), spec)
			}
			get(200, "", "If-Match: "+whole.header.Get("ETag"))
			get(412, "If-Match", `If-Match: "other"`)
		})
	}
	// Dynamic responses do not support ranges.
	c.send(t, request{op: "exportEntities", target: "/api/export/entities?type=tool", status: 200, header: []string{"Range: bytes=0-9"}})
}

func checkParts(t *testing.T, a *answer, want ...[]byte) {
	t.Helper()
	mediaType, params, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	suite.Require(t, err == nil &&
		mediaType == "multipart/byteranges", "several ranges: Content-Type", a.header.Get("Content-Type"))
	r := multipart.NewReader(bytes.NewReader(a.body), params["boundary"])
	for _, w := range want {
		part := suite.Must(r.NextPart())(t)
		suite.Equal(t, suite.Must(io.ReadAll(part))(t), w, "part")
	}
}

// testEncodings: every content coding decodes to the same bytes and has its own entity tag.
func testEncodings(t *testing.T, c *contract) {
	for _, target := range []struct{ op, path string }{
		{"listEntities", "/api/entities?limit=100"},
		{"getManifest", "/api/export/manifest"},
		{"getOpenapi", "/api/openapi?format=yaml"},
		{"exportEntities", "/api/export/entities"},
		{"exportEntities", "/api/export/entities?format=csv"},
		{"exportSignals", "/api/export/signals"},
		{"exportLeaderboard", "/api/export/leaderboard"},
		{"listChanges", "/api/changelog?limit=100"},
		{"getCalendar", "/api/calendar?entity=tool/pytorch&entity=tool/tensorlayer&entity=tool/spacy"},
		{"exportChangelog", "/api/export/changelog"},
	} {
		t.Run(target.path, func(t *testing.T) {
			plain := c.send(t, request{op: target.op, target: target.path, status: 200})
			tags := []string{plain.header.Get("ETag")}
			for _, encoding := range []string{"gzip", "zstd"} {
				a := c.send(t, request{op: target.op, target: target.path, status: 200, header: []string{"Accept-Encoding: " + encoding}})
				suite.Equal(t, decodeBody(t, a), plain.body, encoding)
				if a.header.Get("Content-Encoding") != "" {
					tags = append(tags, a.header.Get("ETag"))
					for match, status := range map[string]int{a.header.Get("ETag"): 304, `"x", W/` + a.header.Get("ETag"): 304, tags[0]: 200} {
						c.send(t, request{op: target.op, target: target.path, status: status, header: []string{"Accept-Encoding: " + encoding, "If-None-Match: " + match}})
					}
				}
			}
			// Clients that claim to accept any coding get gzip or none.
			for accept, want := range map[string]string{"*": "", "*;q=0.5": "", "identity;q=0, *": "gzip"} {
				a := c.send(t, request{op: target.op, target: target.path, status: 200, header: []string{"Accept-Encoding: " + accept}})
				suite.Equal(t, a.header.Get("Content-Encoding"), want, "Accept-Encoding", accept, "coding")
			}
			want := 3
			if strings.HasPrefix(target.path, "/api/export/") {
				want = 2 // tables have a gzip variant only
			}
			suite.Holds(t, len(tags) >= want, "only", len(tags), "codings were used")
			distinct := slices.Compact(slices.Sorted(slices.Values(tags)))
			suite.Holds(t, len(distinct) == len(tags), "codings share entity tags", tags)
		})
	}
}

// decodeBody decodes a response's content coding.
func decodeBody(t *testing.T, a *answer) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(a.body)
	var err error
	switch a.header.Get("Content-Encoding") {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Errorf("start of the body: %v", err)
		return nil
	}
	b, err := io.ReadAll(r)
	suite.Holds(t, err == nil, "body", err)
	return b
}

// testFormats: an export has the same rows in every format, and its fields are in the order
// given in the description.
func testFormats(t *testing.T, c *contract) {
	for _, target := range []struct{ op, path, schema string }{
		{"exportEntities", "/api/export/entities?format=", "ExportedEntity"},
		{"exportEntities", "/api/export/entities?fields=composite,slug,tags&format=", "NarrowedExportedEntity"},
		{"exportEntities", "/api/export/entities?fields=all&format=", "NarrowedExportedEntity"},
		{"exportSignals", "/api/export/signals?format=", "ExportedSignal"},
		{"exportSignals", "/api/export/signals?type=tool&minScore=60&format=", "ExportedSignal"},
		{"exportBenchmarks", "/api/export/benchmarks?format=", "ExportedBenchmark"},
		{"exportOffers", "/api/export/offers?format=", "ExportedOffer"},
		{"exportIds", "/api/export/ids?format=", "ExportedIdentifier"},
		{"exportLeaderboard", "/api/export/leaderboard?format=", "ExportedRank"},
		{"exportLeaderboard", "/api/export/leaderboard?at=2026-10-25&format=", "ExportedRank"},
		{"exportChangelog", "/api/export/changelog?format=", "Change"},
	} {
		t.Run(target.path, func(t *testing.T) {
			get := func(format string) *answer {
				return c.send(t, request{op: target.op, target: target.path + format, status: 200})
			}
			var rows, lines []map[string]any
			get("json").decode(t, &rows)
			dec := json.NewDecoder(bytes.NewReader(get("jsonl").body))
			for dec.More() {
				var row map[string]any
				suite.Check(t, dec.Decode(&row))
				suite.Check(t, c.doc.Components.Schemas[target.schema].Value.VisitJSON(row))
				lines = append(lines, row)
			}
			suite.Holds(t, reflect.DeepEqual(rows, lines), "jsonl and json have different rows")
			grid := suite.Must(csv.NewReader(bytes.NewReader(get("csv").body)).ReadAll())(t)
			names := c.columns(target.schema)
			switch target.schema {
			case "NarrowedExportedEntity":
				if names = []string{"slug", "tags", "composite"}; strings.Contains(target.path, "fields=all") {
					names = c.columns("ExportedEntity")
					for _, column := range table.FullColumns(kinds.Default())[len(table.EntityColumns):] {
						names = append(names, column.Name)
					}
				}
			case "Change":
				names = []string{"id", "event", "timestamp", "type", "slug", "name", "changes", "commit", "author", "pullRequest"}
			}
			suite.Equal(t, grid[0], names, "csv", len(grid)-1)
			suite.Equal(t, len(grid), len(rows)+1, "csv")
			body := get("parquet").body
			f := suite.Must(parquet.OpenFile(bytes.NewReader(body), int64(len(body))))(t)
			var columns []string
			for _, field := range f.Schema().Fields() {
				columns = append(columns, field.Name())
			}
			suite.Equal(t, f.NumRows(), int64(len(rows)), "parquet")
			suite.Equal(t, columns, names, "parquet", f.NumRows())
		})
	}
}

// columns returns a row's required fields in the order given in the description.
func (c *contract) columns(schema string) []string {
	return c.doc.Components.Schemas[schema].Value.Required
}

// testDescriptionForms: the description is served as YAML and as JSON.
func testDescriptionForms(t *testing.T, c *contract) {
	inYAML := bytes.ReplaceAll(openapi.With(openapi.Service{Ranked: true}, openapi.YAML), []byte(openapi.Host), []byte(c.url))
	asJSON := suite.Must(openapi.JSON(inYAML))(t)
	suite.LacksAll(t, string(asJSON), "/signin", "HOST", "Replace")
	for accept, want := range map[string]string{"application/yaml": "application/yaml", "application/json": "application/json",
		"*/*": "application/json", "text/html": "application/json", "application/yaml, application/json": "application/yaml"} {
		a := c.send(t, request{op: "getOpenapi", target: "/api/openapi", status: 200, header: []string{"Accept: " + accept}})
		suite.Equal(t, a.header.Get("Content-Type"), want, "Accept", accept)
		body := inYAML
		if want != "application/yaml" {
			body = asJSON
		}
		suite.Equal(t, a.body, body, "Accept", accept)
		suite.Contains(t, strings.Join(a.header.Values("Vary"), ", ")+",", "Accept,", "Vary")
	}
}

// testUnknownAddresses: whatever is requested, an error response is a problem document.
func testUnknownAddresses(t *testing.T, c *contract) {
	for _, target := range []string{"/api", "/api/", "/api/nope", "/api/entity", "/api/entity/tool", "/api/entities/", "/api/Entities",
		"/api/entity/tool/pytorch/history", "/api//entities", "/nope?x=1", "/data/{build}", "/api/%00"} {
		a := c.send(t, request{target: target, status: 404})
		checkHeaders(t, c.doc.Components.Responses["BadRequest"].Value.Headers, a, target)
		var p web.Problem
		a.decode(t, &p)
		var v any
		a.decode(t, &v)
		err := c.doc.Components.Schemas["Problem"].Value.VisitJSON(v)
		suite.Holds(t, err == nil, target, err)
		c.seen.codes[p.Code] = true
		a.wantHeader(t, "Content-Type", "application/problem+json")
	}
}

// testDamage provokes the only failure that is possible without breaking the server: a file of a
// previous build is no longer readable.
func testDamage(t *testing.T, c *contract) {
	c.send(t, request{op: "getDataFile", target: "/data/{old}/categories.json", status: 200})
	c.damageOld(t, "scoring.json")
	c.send(t, request{op: "getDataFile", target: "/data/{old}/scoring.json", status: 500})
}
