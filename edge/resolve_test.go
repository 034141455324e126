package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
	"kindex/exports"
	"kindex/exports/record"
)

// resolution is the response of /api/resolve.
type resolution struct {
	Data []struct {
		ID, As, Version, Qualifiers, Match string
		Dropped                            []string
		Matches, Suggestions               []map[string]any
	}
	Count int
}

// resolvedContent is a small index with all kinds of identifiers.
var resolvedContent = map[string]string{
	"categories.yaml": "categories:\n  - {slug: things, title: Things, description: All sorts of things.}\n",
	"kinds.yaml":      "ids:\n  - {name: zoo, title: Zoo, page: 'https://zoo.example/m/{id}'}\n",
	"providers.yaml":  "providers:\n  - {slug: acme, name: Acme, url: 'https://acme.example', maker: Acme}\n  - {slug: cloud, name: Cloud, url: 'https://cloud.example'}\n",
	"tool/hammer.yaml": `name: Hammer
description: Drives nails into wood.
category: things
version: 1.2.0
license: MIT
formerly: [mallet]
links: {repository: 'https://github.com/Tools/Hammer', package: 'https://pypi.org/project/Hammer_Py'}
ids: {npm: '@tools/hammer', zoo: h-1, arxiv: '1706.03762'}
signals:
  lastRelease: {value: 2026-01-02, date: 2026-10-01, source: https://pypi.org/project/Hammer_Py}
  lastCommit: {value: 2024-01-02, date: 2026-10-01, source: https://github.com/Tools/Hammer}
`,
	"tool/saw.yaml": `name: Saw
description: Cuts wood into pieces.
category: things
status: withdrawn
links: {repository: 'https://codeberg.org/tools/saw', homepage: 'https://saw.example/'}
lifecycle: {retires: 2026-01-31, replacedBy: tool/hammer}
`,
	"model/rocket.yaml": `name: Rocket
provider: Acme
description: Writes short poems.
category: things
ids: {huggingface: Acme/Rocket-7B}
offersRead: {date: 2026-10-01, source: 'https://acme.example/prices'}
offers:
  - {provider: acme, id: rocket-1, input: 1, output: 2}
  - {provider: cloud, id: 'acme.rocket-v1:0', input: 1, output: 2}
`,
	"model/rocket-2-large.yaml": `name: Rocket 2 Large
provider: Acme
description: Writes long poems.
category: things
status: withdrawn
ids: {bedrock: 'acme.rocket-2.5-large-20250101-v1:0', huggingface: Acme/Rocket-2.5-Large-Instruct}
`,
	"model/comet-june.yaml": `name: Comet of June
provider: Acme
description: Writes letters in June.
category: things
ids: {openrouter: acme/comet-2025-06-01, ollama: comet}
`,
	"model/comet-may.yaml": `name: Comet of May
provider: Acme
description: Writes letters in May.
category: things
ids: {openrouter: acme/comet-2025-05-01, ollama: 'comet:8b'}
`,
}

// serveResolved serves resolvedContent.
func serveResolved(t testing.TB, o Options) *served {
	t.Helper()
	dir := prepare(t, "identifiers", func(dir string) {
		suite.Write(t, filepath.Join(dir, "content"), resolvedContent)
		buildInto(t, filepath.Join(dir, "content"), filepath.Join(dir, "out"), 3)
	})
	o.Dir, o.State = filepath.Join(dir, "out"), storagetest.SQLite(t)
	return serveWith(t, o)
}

// resolve sends identifiers in a batch.
func (s *served) resolve(t *testing.T, ids ...string) (r resolution) {
	t.Helper()
	body := suite.Must(json.Marshal(map[string]any{"ids": ids}))(t)
	a := s.send(t, http.MethodPost, "/api/resolve", "", string(body))
	suite.Require(t, a.status == http.StatusOK &&
		a.header.Get("Cache-Control") == "no-store", a.status, a.header)
	unpack(t, a.body, &r)
	return r
}

func TestResolve(t *testing.T) {
	s := share(t, "identifiers", func(t testing.TB) *served { return serveResolved(t, Options{}) })
	var ids, wants []string
	for _, c := range [][2]string{
		{"pkg:pypi/hammer.py@0.9?x=y", "pypi:hammer-py tool/hammer"},
		{"zoo:h-1", "zoo:h-1 tool/hammer"},
		{"https://arxiv.org/abs/1706.03762v7", "arxiv:1706.03762 tool/hammer"},
		{"tool/mallet", "tool/mallet tool/hammer"},
		{"https://codeberg.org/tools/saw/", "url:codeberg.org/tools/saw tool/saw"},
		{"rocket-1", "model:rocket-1 model/rocket"},
		{"acme:rocket-1", "acme:rocket-1 model/rocket"},
		{"pypi:unheard-of", "pypi:unheard-of "},
		{"two words", " "},
		{"hammer", "tool/hammer tool/hammer"},
	} {
		ids, wants = append(ids, c[0]), append(wants, c[1])
	}
	r := s.resolve(t, ids...)
	suite.Require(t, r.Count == len(ids) && len(r.Data) == len(ids), len(r.Data), len(ids))
	for i, d := range r.Data {
		got := d.As + " "
		for _, m := range d.Matches {
			got += fmt.Sprint(m["type"], "/", m["slug"])
		}
		suite.Equal(t, d.ID, ids[i])
		suite.Equal(t, got, wants[i], d.ID)
	}
	if d := r.Data[0]; d.Version != "0.9" || d.Qualifiers != "x=y" {
		t.Errorf("version %q, qualifiers %q", d.Version, d.Qualifiers)
	}
	if m := r.Data[0].Matches[0]; m["version"] != "1.2.0" || m["versionDate"] != "2026-01-02" || m["license"] != "MIT" || m["maintenance"] != "dormant" ||
		m["maintenanceAsOf"] != "2026-10-01" || m["status"] != "active" || m["lifecycle"] != nil {
		t.Errorf("%v", m)
	}
	at := slices.Index(ids, "https://codeberg.org/tools/saw/")
	if l, _ := r.Data[at].Matches[0]["lifecycle"].(map[string]any); l["retires"] != "2026-01-31" || l["replacedBy"] != "tool/hammer" {
		t.Errorf("%v", r.Data[at].Matches[0])
	}
	for id, want := range map[string]string{"pypi:hamer-py": "hammer", "model/rockt": "rocket", "rocket-2-5-largo": "rocket-2-largerocket", "rocket-2.5-largo": "rocket-2-largerocket",
		"comet-2025-07-01": "comet-junecomet-may"} {
		got := ""
		for _, m := range s.resolve(t, id).Data[0].Suggestions {
			got += fmt.Sprint(m["slug"])
		}
		suite.Equal(t, got, want, id)
	}
}

// TestResolveWeaker resolves names of models as programs send them. None may name another model:
// a variant with an entity of its own, or one of several.
func TestResolveWeaker(t *testing.T) {
	suite.WithoutRace(t)
	s := share(t, "identifiers", func(t testing.TB) *served { return serveResolved(t, Options{}) })
	for id, want := range map[string]string{
		"azure/rocket-1":                     "weaker rocket [prefix: azure/]",
		"rocket-1-20250101:free":             "weaker rocket [suffix: :free date: -20250101]",
		"hf.co/copies/Rocket-7B-GGUF:Q4_K_M": "weaker rocket [quantization: :q4_k_m quantization: -gguf address: hf.co/ prefix: copies/]",
		"rocket:70b":                         " []", // of another size
		"rocket-2.5-large-latest":            "weaker rocket-2-large [alias: -latest]",
		"comet-2025-06-01":                   "weaker comet-june []",
		"comet-2025-07-01":                   " []", // of June or of May
		"https://github.com/openai/rocket-1": " []",
	} {
		d := s.resolve(t, id).Data[0]
		got := d.Match
		for _, m := range d.Matches {
			got += " " + fmt.Sprint(m["slug"])
		}
		got += fmt.Sprint(" ", d.Dropped)
		suite.Equal(t, got, want, id)
	}
}

// TestResolveOne compares GET with POST, and checks what the errors of both say.
func TestResolveOne(t *testing.T) {
	s := share(t, "identifiers", func(t testing.TB) *served { return serveResolved(t, Options{}) })
	a := s.ask(t, "GET", "/api/resolve?id=pypi:hammer_py&id=nothing")
	var one resolution
	unpack(t, a.body, &one)
	suite.Equal(t, a.status, http.StatusOK)
	suite.Equal(t, fmt.Sprint(one), fmt.Sprint(s.resolve(t, "pypi:hammer_py", "nothing")))
	for query, want := range map[string]string{"": "id: is required", "?id=%00": "NUL", "?id=%FF": "UTF-8", "?id=a" + strings.Repeat("&id=a", 50): "at most 50"} {
		s.ask(t, "GET", "/api/resolve"+query).want(t, http.StatusBadRequest, want)
	}
	for body, want := range map[string]string{
		`{"ids":[]}`:              "ids is required",
		`{"ids":"pypi:torch"}`:    "must be an array",
		`{"ids":["a",1]}`:         "ids[1] must be a string",
		`{"ids":["a"," "]}`:       "ids[1] must not be empty",
		`{"ids":["a"],"id":"b"}`:  "did you mean ids?",
		`{"ids":["a"],"ids":[1]}`: "duplicate member",
		`{"ids":["a"` + strings.Repeat(`,"a"`, 1000) + `]}`: "at most 1000",
	} {
		s.send(t, "POST", "/api/resolve", "", body).want(t, http.StatusBadRequest, want)
	}
	s.send(t, "POST", "/api/resolve", "", `{"ids":["a"],"id":"b"}`).want(t, http.StatusBadRequest, `did you mean ids?",`, `"suggestion":"ids"`)
}

// TestResolveCost sends batches until the limit is reached.
func TestResolveCost(t *testing.T) {
	suite.WithoutRace(t)
	s := serveResolved(t, Options{LimitAnonymous: 20, LimitKey: 30})
	batch := func(n int) string {
		body, _ := json.Marshal(map[string]any{"ids": append(make([]string, 0, n), strings.Split(strings.Repeat("tool/hammer ", n-1)+"x", " ")...)})
		return string(body)
	}
	remaining := func(key string, n int, status int, want string) {
		t.Helper()
		s.send(t, "POST", "/api/resolve", key, batch(n)).want(t, status).wantHeader(t, "X-Ratelimit-Remaining", want)
	}
	remaining("", 100, 200, "19")
	remaining("", 101, 200, "17")
	remaining("", 1000, 200, "7")
	remaining("", 1000, 429, "7") // nothing was counted
	remaining("", 701, 429, "7")
	remaining("", 700, 200, "0")
	remaining("", 1, 429, "0")
	key, _ := s.keyOf(t, "account")
	remaining(key, 1000, 200, "20")
	a := s.send(t, "POST", "/api/resolve", key, `{"ids":[1]}`) // an invalid request costs one
	a.want(t, 400).wantHeader(t, "X-Ratelimit-Remaining", "19")
	remaining(key, 1000, 200, "9")
	if a := s.send(t, "POST", "/api/resolve", key, batch(1000)); a.status != 429 || a.header.Get("Retry-After") == "" || !bytes.Contains(a.body, []byte("This costs 10 requests, but only 9 of 30 remain")) {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
}

// TestResolveEdits previews edits: an entity with other identifiers, a new one, and one that
// was removed.
func TestResolveEdits(t *testing.T) {
	s := share(t, "identifiers", func(t testing.TB) *served { return serveResolved(t, Options{}) })
	o, _, _ := s.published().Build.Find("tool", "hammer")
	e := s.published().Build.Entity(o)
	edited := *e
	edited.Version, edited.IDs = "2.0.0", []record.ID{{Namespace: "pypi", Value: "new-hammer"}}
	added := edited
	added.Slug, added.Name, added.IDs, added.Links = "axe", "Axe", []record.ID{{Namespace: "crates", Value: "axe"}}, nil
	s.ApplyEdits([]exports.Edit{{Type: "tool", Slug: "hammer", Entity: &edited}, {Type: "tool", Slug: "axe", Entity: &added}, {Type: "tool", Slug: "saw"}})
	for id, want := range map[string]string{"pypi:new-hammer": "[hammer 2.0.0]", "pkg:cargo/axe": "[axe 2.0.0]", "npm:@tools/hammer": "[]", "https://codeberg.org/tools/saw": "[]",
		"https://github.com/tools/hammer": "[hammer 2.0.0]", "acme:rocket-1": "[rocket <nil>]", "tool/saw": "[]"} {
		got := []string{}
		for _, m := range s.resolve(t, id).Data[0].Matches {
			got = append(got, fmt.Sprint(m["slug"], " ", m["version"]))
		}
		suite.Equal(t, fmt.Sprint(got), want, id)
	}
}
