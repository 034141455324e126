package sources_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"kindex/builder/collect/collecttest"
)

// noAnswer is the name of the response that never comes.
const noAnswer = "no answer"

// broken contains responses that no service documents, but every service sends sooner or later.
var broken = map[string]http.HandlerFunc{
	"an HTML page": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>Unicorn!</title>"))
	},
	"an error page": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>Bad gateway</html>", http.StatusBadGateway)
	},
	"a truncated body": func(w http.ResponseWriter, _ *http.Request) { collecttest.JSON(w, 200, `{"data":{"r0":{"nameWithOw`) },
	"a cut connection": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "999")
		collecttest.JSON(w, 200, `{`)
	},
	"a wrong type":        func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) },
	"a list":              func(w http.ResponseWriter, _ *http.Request) { collecttest.JSON(w, 200, `[]`) },
	"null":                func(w http.ResponseWriter, _ *http.Request) { collecttest.JSON(w, 200, `null`) },
	"an empty object":     func(w http.ResponseWriter, _ *http.Request) { collecttest.JSON(w, 200, `{}`) },
	"nothing":             func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	"a teapot":            func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) },
	"a closed connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	noAnswer: func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client gives up
		<-r.Context().Done()
	},
	"a redirect elsewhere": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://evil.example/", http.StatusFound)
	},
	"a redirect to itself": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
	"deep nesting": func(w http.ResponseWriter, _ *http.Request) {
		collecttest.JSON(w, 200, strings.Repeat(`{"a":`, 100000))
	},
}

// TestBrokenResponses checks that a source returns no values and changes nothing if it gets the same broken
// response to every request, for each of broken.
func TestBrokenResponses(t *testing.T) {
	for namespace, source := range all {
		id := "lab/a"
		if namespace == "pypi" || namespace == "npm" {
			id = "a"
		}
		for name, h := range broken {
			t.Run(namespace+"/"+name, func(t *testing.T) {
				o := collecttest.Options(t, source(collecttest.Server(t, h)), "model", namespace, id)
				if name == noAnswer {
					o.HTTP.Timeout = 50 * time.Millisecond // nothing else decides this case
				}
				lines, r := collecttest.Run(t, o)
				if len(r.Changes) > 0 || len(r.Gone) > 0 || r.Files > 0 || len(r.Broken()) != 1 {
					t.Errorf("got %q", lines)
				}
			})
		}
	}
}
