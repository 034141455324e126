package sources_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
	"kindex/builder/suite"
)

// TestNew checks that the repositories of topics become files, each once.
func TestNewRepositories(t *testing.T) {
	var searches []string
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var q request
		if err != nil || json.Unmarshal(body, &q) != nil {
			t.Errorf("%s", body)
		}
		search := q.Variables["q"]
		switch {
		case search == "":
			collecttest.JSON(w, 200, `{"data":{"r0":`+repo("own/known", 100, "")+`}}`)
			return
		case strings.HasPrefix(search, "topic:broken"):
			collecttest.JSON(w, 200, `{"data":null,"errors":[{"message":"Something went wrong"}]}`)
			return
		}
		searches = append(searches, search)
		collecttest.JSON(w, 200, `{"data":{"search":{"nodes":[`+repo("own/known", 100, "")+`,`+repo("acme/Fresh.Tool", 90000, whole)+`,`+repo("../evil", 5, "")+`,{}]}}}`)
	})
	o := collecttest.Options(t, sources.GitHub(url, collect.SourceConfig{Topics: []string{"llm", "rag", "broken"}}), "tool", "github", "own/known")
	o.New = true
	lines, r := collecttest.Run(t, o)
	if got := strings.Join(searches, "\n"); got != "topic:llm stars:>=5000 archived:false fork:false sort:stars-desc\ntopic:rag stars:>=5000 archived:false fork:false sort:stars-desc" {
		t.Errorf("searches %s", got)
	}
	suite.Equal(t, lines[len(lines)-1], "error: new entries: GitHub: Something went wrong", lines)
	if len(r.New) != 1 || r.New[0].Popular != 90000 || strings.Join(r.New[0].IDs, " ") != "github:acme/Fresh.Tool" {
		t.Fatalf("%+v", r.New)
	}
	const want = `name: Fresh.Tool
provider: acme
description: "TODO: describe it in one or two sentences of your own, for what it is good and what sets it apart."
category: todo
version: 2.3.1
license: BSD-3-Clause
url: https://github.com/acme/Fresh.Tool
links:
  repository: https://github.com/acme/Fresh.Tool
signals:
  stars: {value: 90000, date: 2026-11-23, source: https://github.com/acme/Fresh.Tool}
  forks: {value: 7, date: 2026-11-23, source: https://github.com/acme/Fresh.Tool}
`
	if !strings.HasPrefix(r.New[0].YAML, want) {
		t.Errorf("got\n%s", r.New[0].YAML)
	}
}
