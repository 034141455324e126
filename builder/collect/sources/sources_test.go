package sources_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
	"kindex/builder/suite"
)

// all are the sources that are asked over HTTP, by the namespaces of their identifiers.
var all = map[string]func(base string) *collect.Source{
	"github":      func(base string) *collect.Source { return sources.GitHub(base, collect.SourceConfig{}) },
	"pypi":        func(base string) *collect.Source { return sources.PyPI(base, base) },
	"npm":         func(base string) *collect.Source { return sources.NPM(base, base) },
	"huggingface": sources.HuggingFace,
	"modelsdev":   func(base string) *collect.Source { return sources.ModelsDev(base, "", "") },
}

// TestAnswers asks a service for the identifiers in the comment of each archive in testdata. The files
// are its responses, by the address of the request; anything else is missing. The last one has what comes of
// them. The requests of a source have its token, and no other one. What e0.yaml has is added to the file of the
// first entity, and what is written there is what it becomes.
func TestAnswers(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 30 {
		t.Fatalf("%d archives: %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a := suite.Must(txtar.ParseFile(name))(t)
			namespace, ids, _ := strings.Cut(strings.TrimSpace(string(a.Comment)), ": ")
			responses, want := map[string][]byte{}, &a.Files[len(a.Files)-1]
			for _, f := range a.Files[:len(a.Files)-1] {
				responses[f.Name] = f.Data
			}
			token := ""
			s := all[namespace](collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Authorization"); got != token || r.Header.Get("User-Agent") != "kindex/test" {
					t.Errorf("headers %v", r.Header)
				}
				respond(t, w, r, responses[r.URL.RequestURI()])
			}))
			if s.Token != "" {
				token = "Bearer token-of-" + s.Token
			}
			o := collecttest.Options(t, s, "model", namespace, strings.Fields(ids)...)
			written := o.Content + "/model/e0.yaml"
			appendTo(t, written, responses["e0.yaml"])
			lines, _ := collecttest.Run(t, o)
			file := suite.Must(os.ReadFile(written))(t)
			if suite.Updating() {
				want.Data = []byte(strings.Join(lines, "\n") + "\n")
				if before := &a.Files[len(a.Files)-2]; before.Name == "written" {
					before.Data = file
				}
				suite.Check(t, os.WriteFile(name, txtar.Format(a), 0o644))
			}
			if text := responses["written"]; text != nil && !suite.Updating() && string(text) != string(file) {
				t.Errorf("the file is\n%s\nwant\n%s", file, text)
			}
			collecttest.Want(t, lines, strings.Split(strings.TrimSpace(string(want.Data)), "\n")...)
		})
	}
}

// respond sends a file: a response of HTTP with its headers, or only its body.
func respond(t *testing.T, w http.ResponseWriter, r *http.Request, file []byte) {
	switch {
	case file == nil:
		collecttest.JSON(w, 404, `{"message": "Not Found"}`)
		return
	case !bytes.HasPrefix(file, []byte("HTTP/1.1 ")):
		collecttest.JSON(w, 200, string(file))
		return
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(file)), r)
	if err != nil {
		t.Error(err)
		return
	}
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body) // the connection may have ended
}

// appendTo appends text to a file.
func appendTo(t *testing.T, path string, text []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(data, text...), 0o666)
	}
	suite.Check(t, err)
}

// unpack writes files into a new folder.
func unpack(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	suite.Write(t, dir, files)
	return dir
}
