package edge

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"kindex/edge/web"
	"kindex/site/sdk"
)

// TestSDK downloads the client libraries from both of their addresses.
func TestSDK(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 1})
	for language, name := range map[string]string{sdk.TypeScript: "kindex-%.tgz", sdk.Python: "kindex-%.tar.gz"} {
		newest := sdk.Versions(language)[0]
		lasting := "/api/sdk/" + language + "/" + newest.File
		for _, path := range []string{"/api/sdk/" + language, lasting} {
			a := s.ask(t, "GET", path, "Accept-Encoding", "gzip, br, zstd")
			if a.status != 200 || !bytes.Equal(a.body, newest.Data) || a.header.Get("Content-Type") != "application/gzip" || a.header.Get("Content-Encoding") != "" {
				t.Errorf("%s: %d %v", path, a.status, a.header)
			}
			if got, want := a.header.Get("Content-Disposition"), `attachment; filename="`+strings.ReplaceAll(name, "%", newest.Version)+`"`; got != want {
				t.Errorf("%s: Content-Disposition is %s, want %s", path, got, want)
			}
			if got := a.header.Get("Content-Location"); path == lasting && got != "" || path != lasting && got != lasting {
				t.Errorf("%s: Content-Location is %q", path, got)
			}
			if a := s.ask(t, "GET", path, "If-None-Match", a.header.Get("Etag")); a.status != 304 {
				t.Errorf("%s: %d with its own entity tag", path, a.status)
			}
			if a := s.ask(t, "GET", path, "Range", "bytes=2-5"); a.status != 206 || !bytes.Equal(a.body, newest.Data[2:6]) {
				t.Errorf("%s: %d %q", path, a.status, a.body)
			}
			if a.header.Get("X-Ratelimit-Remaining") != "1" {
				t.Errorf("%s is not free: %v", path, a.header)
			}
		}
		versions := sdk.Versions(language)
		oldest := versions[len(versions)-1].File
		for file, meant := range map[string]string{"stable": newest.File, strings.TrimSuffix(oldest, "z"): oldest} {
			a := s.ask(t, "GET", "/api/sdk/"+language+"/"+file)
			var p web.Problem
			if err := json.Unmarshal(a.body, &p); err != nil || a.status != 404 || p.Code != "unknown-version" || p.Suggestion == nil || *p.Suggestion != "/api/sdk/"+language+"/"+meant {
				t.Errorf("%s: %v %s", file, err, a.body)
			}
		}
	}
}
