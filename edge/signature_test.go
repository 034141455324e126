package edge

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"golang.org/x/mod/sumdb/note"

	"kindex/builder/suite"
	"kindex/edge/live"
	"kindex/edge/openapi"
	"kindex/edge/storage/storagetest"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// signedFolder returns an output folder with a build, the bucket where it is published without a
// signature, and a key.
func signedFolder(t *testing.T) (out string, to bucket.Bucket, key *sign.Key) {
	t.Helper()
	content := t.TempDir()
	out = t.TempDir()
	writeContent(t, content, 4, 1)
	buildInto(t, content, out, 1)
	to, err := bucket.Open("file:" + t.TempDir())
	suite.Check(t, err)
	key = suite.Must(sign.CreateKey(filepath.Join(t.TempDir(), "key"), "builds.example.org/index"))(t)
	suite.Must(mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: out, Dirty: true}))(t)
	return out, to, key
}

// signedAnswer is what an edge says about the signature of its build.
type signedAnswer struct {
	Signature *sign.Signature
	tag       string
	croissant string
	page      string
}

// described returns the description of the API.
var described = sync.OnceValue(func() *openapi3.T {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		panic(err)
	}
	return doc
})

// readSigned reads it, and checks the manifest against the description.
func readSigned(t *testing.T, s *Server) (a signedAnswer) {
	t.Helper()
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		suite.Require(t, w.Code == http.StatusOK, path, w.Code, w.Body)
		return w
	}
	w := get("/api/export/manifest")
	var manifest map[string]any
	suite.Check(t, json.Unmarshal(w.Body.Bytes(), &manifest))
	suite.Check(t, described().Components.Schemas["ManifestSignature"].Value.VisitJSON(manifest["signature"]))
	suite.Check(t, json.Unmarshal(w.Body.Bytes(), &a))
	a.tag = w.Header().Get("Etag")
	a.croissant, a.page = get("/api/export/croissant").Body.String(), get("/data/").Body.String()
	return a
}

// TestSignatureArrivesLater signs a build that an edge serves already: the next answer has the signature and
// another tag, and no cache keeps the old one. Only an edge with the key, which serves no unsigned build, calls
// it verified.
func TestSignatureArrivesLater(t *testing.T) {
	suite.InTest(t)
	out, to, key := signedFolder(t)
	open := func(verifiers ...note.Verifier) *Server {
		return suite.Must(New(Options{Dir: out, State: storagetest.SQLite(t), Verifiers: verifiers}))(t)
	}
	unaware := open()
	before := readSigned(t, unaware)
	suite.Holds(t, before.Signature == nil && !strings.Contains(before.croissant, "subjectOf") &&
		strings.Contains(before.page, "This build is not signed."), "an unsigned build", before)
	suite.Must(mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: out, Dirty: true, Key: key}))(t)
	id := unaware.reloader.ID()
	statement := suite.Must(os.ReadFile(filepath.Join(out, "exports", "statements", id)))(t)
	for s, verified := range map[*Server]bool{unaware: false, open(key.Verifier): true} {
		suite.Check(t, store.WriteStatement(out, id, statement))
		after := readSigned(t, s)
		if i := after.Signature; i == nil || i.Verified != verified || i.Key != sign.KeyName(key.Verifier) || before.tag == after.tag {
			t.Fatalf("%+v", i)
		}
		told := map[bool][2]string{false: {"(not verified by this service)", "<strong>not verified</strong>"}, true: {"(verified by this service)", "(verified by this service). It is number "}}[verified]
		suite.Contains(t, after.croissant, told[0])
		suite.Contains(t, after.page, told[1])
		for _, path := range []string{"/api/export/manifest", "/api/export/croissant", "/data/"} {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("If-Modified-Since", s.reloader.Current().Modified[0])
			s.ServeHTTP(w, r)
			suite.Equal(t, w.Code, http.StatusOK, path, "although the build was signed")
		}
		// A signature that is wrong is not shown, not even as an unverified one.
		wrong := map[bool][2]string{false: {"build " + id, "build 20260101-0123456789abcdef"}, true: {"\ncounter ", "\ncounter 7"}}[verified]
		altered := strings.Replace(after.Signature.Statement, wrong[0], wrong[1], 1)
		suite.Check(t, store.WriteStatement(out, id, []byte(altered)))
		a := readSigned(t, s)
		suite.Holds(t, a.Signature == nil && a.tag == before.tag, "an altered statement", a.Signature)
	}
}

// TestPullWithWrongClock starts edges without a build whose clocks are wrong by half a century: each
// pulls the published build and serves it, and later ones too.
func TestPullWithWrongClock(t *testing.T) {
	suite.InTest(t)
	content, out := t.TempDir(), t.TempDir()
	to := suite.Must(bucket.Open("file:" + t.TempDir()))(t)
	publish := func(generation int) string {
		writeContent(t, content, 4, generation)
		id := buildInto(t, content, out, 1)
		suite.Must(mirror.Publish(t.Context(), to, mirror.PublishOptions{Dir: out, Dirty: true}))(t)
		return id
	}
	id := publish(1)
	var servers []*Server
	for _, years := range []int{-50, 50} {
		s := suite.Must(New(Options{Dir: t.TempDir(), State: storagetest.SQLite(t), Pull: live.PullOptions{From: to, Interval: time.Second, AllowOlder: true},
			Now: func() time.Time { return time.Now().AddDate(years, 0, 0) }}))(t)
		servers = append(servers, s)
		suite.Equal(t, s.puller.Status().Status, "waiting", "before the first check")
		suite.Equal(t, s.reloader.ID(), "", "before the first check")
		t.Cleanup(work(t, s))
	}
	for generation := 2; ; generation++ {
		for _, s := range servers {
			for deadline := time.Now().Add(hanging); s.reloader.ID() != id; time.Sleep(10 * time.Millisecond) {
				suite.Require(t, !time.Now().After(deadline), s.puller.Status())
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/entity/tool/n1", nil))
			suite.Equal(t, w.Code, http.StatusOK, w.Body)
			suite.Equal(t, w.Header().Get("X-Build"), id, w.Code, w.Body)
		}
		if generation > suite.Pick(2, 3) {
			return
		}
		id = publish(generation)
	}
}
