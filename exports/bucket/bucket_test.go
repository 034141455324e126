package bucket_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/bucket/buckettest"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	checkBucket(t, "file:"+dir)
	if b := open(t, "file://"+dir); b.String() != "file:"+dir {
		t.Errorf("%s", b)
	}
}

func TestS3(t *testing.T) {
	address := buckettest.S3(t)
	checkBucket(t, address)
	checkBucket(t, address+"/a/prefix/")
}

func open(t *testing.T, address string) bucket.Bucket {
	t.Helper()
	return suite.Must(bucket.Open(address))(t)
}

// checkBucket checks everything that the interface promises.
func checkBucket(t *testing.T, address string) {
	ctx, b := t.Context(), open(t, address)
	check := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Fatalf("%s: %s: %v, want %v", b, what, err, want)
		}
	}
	_, err := bucket.Read(ctx, b, "dir/none", 100)
	check("read what is not there", err, fs.ErrNotExist)
	_, err = b.Open(ctx, "dir/none")
	check("open what is not there", err, fs.ErrNotExist)
	check("remove what is not there", b.Remove(ctx, "dir/none"), nil)
	for i, err := range b.List(ctx, "") {
		t.Fatalf("an empty bucket has %v %v", i, err)
	}

	before := time.Now().Add(-time.Minute)
	write := func(name string, data []byte) error {
		return b.Write(ctx, name, bytes.NewReader(data), int64(len(data)))
	}
	check("write", write("dir/one", []byte("first")), nil)
	first, err := bucket.Read(ctx, b, "dir/one", 5)
	check("read", err, nil)
	if string(first) != "first" {
		t.Fatalf("%q", first)
	}
	if _, err := bucket.Read(ctx, b, "dir/one", 4); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Fatalf("read more than the limit: %v", err)
	}
	var i bucket.Info
	for i, err = range b.List(ctx, "dir/") {
		check("list", err, nil)
	}
	if i.Name != "dir/one" || i.Size != 5 || i.Modified.Before(before) || i.Modified.After(time.Now().Add(time.Minute)) {
		t.Fatalf("%+v", i)
	}

	check("create an object that exists", b.Replace(ctx, "dir/one", []byte("x"), nil), bucket.ErrConflict)
	check("replace", b.Replace(ctx, "dir/one", []byte("second"), first), nil)
	check("replace an old version", b.Replace(ctx, "dir/one", []byte("x"), first), bucket.ErrConflict)
	check("create", b.Replace(ctx, "dir/two", []byte{}, nil), nil)
	check("create what is empty", b.Replace(ctx, "dir/two", []byte("x"), nil), bucket.ErrConflict)
	data, err := bucket.Read(ctx, b, "dir/one", 100)
	check("read what has changed", err, nil)
	if string(data) != "second" {
		t.Fatalf("%q", data)
	}
	check("remove", b.Remove(ctx, "dir/two"), nil)
	check("replace what was removed", b.Replace(ctx, "dir/two", []byte("x"), first), bucket.ErrConflict)

	large := bytes.Repeat([]byte("kindex "), 3<<20)
	check("write 21 MB", write("dir/large", large), nil)
	body, err := b.Open(ctx, "dir/large")
	check("open 21 MB", err, nil)
	data, err = io.ReadAll(body)
	check("read 21 MB", errors.Join(err, body.Close()), nil)
	if !bytes.Equal(data, large) {
		t.Fatal("21 MB came back different")
	}
	check("write elsewhere", write("directory", nil), nil)
	var names []string
	for i, err := range b.List(ctx, "dir/") {
		check("list", err, nil)
		names = append(names, i.Name)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"dir/large", "dir/one"}) {
		t.Fatalf("%q", names)
	}
	for _, err := range b.List(ctx, "") {
		check("list", err, nil)
		break // the listing ends
	}
	for _, name := range []string{"", "/a", "a/", "../a", "a/../b", "A", "a//b", ".a", "a\x00"} {
		if err := write(name, nil); err == nil || !strings.Contains(err.Error(), "not a valid name") {
			t.Errorf("%q was written: %v", name, err)
		}
		if _, err := bucket.Read(ctx, b, name, 1); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q was read: %v", name, err)
		}
	}
	checkRace(t, b)
}

// checkRace lets many writers replace the same version. Exactly one wins each time.
func checkRace(t *testing.T, b bucket.Bucket) {
	t.Helper()
	var now []byte
	for round := range 5 {
		var g sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for n := range 8 {
			g.Go(func() {
				err := b.Replace(t.Context(), "race", []byte{byte(round), byte(n)}, now)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case !errors.Is(err, bucket.ErrConflict):
					t.Error(err)
				}
			})
		}
		g.Wait()
		suite.Equal(t, won, 1, b, "writers replaced the same version")
		now = suite.Must(bucket.Read(t.Context(), b, "race", 10))(t)
	}
}

// TestWeb checks what a reader makes of the answers of web servers.
func TestWeb(t *testing.T) {
	dir := t.TempDir()
	suite.Check(t, os.WriteFile(dir+"/there", []byte("content"), 0o644))
	files := http.FileServerFS(os.DirFS(dir))
	mux := http.NewServeMux()
	mux.HandleFunc("/base/forbidden", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	mux.HandleFunc("/base/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("short"))
	})
	mux.HandleFunc("/base/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				return
			}
		}
	})
	mux.Handle("/base/", http.StripPrefix("/base/", files))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	r := suite.Must(bucket.OpenReader(srv.URL + "/base"))(t)
	for _, c := range []struct{ name, want, problem string }{
		{"there", "content", ""},
		{"missing", "", "file does not exist"},
		{"forbidden", "", "the server answered with status 403 Forbidden"},
		{"cut", "", "unexpected EOF"},
		{"endless", "", "has more than 100 bytes"},
		{"../there", "", "not a valid name"},
	} {
		data, err := bucket.Read(t.Context(), r, c.name, 100)
		if string(data) != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %q, %v", c.name, data, err)
		}
	}
}

// TestAddresses checks what is refused, and that no address shows a password.
func TestAddresses(t *testing.T) {
	for _, address := range []string{"", "file:", "s3:", "s3://key:secret@bucket", "s3://bucket?region=x", "ftp://host/x", "builds", "https://", "https://host/?key=secret"} {
		if b, err := bucket.OpenReader(address); err == nil || strings.Contains(err.Error(), "key:secret") {
			t.Errorf("%q: %v %v", address, b, err)
		}
	}
	if _, err := bucket.Open("https://example.org"); err == nil {
		t.Error("a web server can be written")
	}
	r, err := bucket.OpenReader("https://user:secret@example.org/builds")
	if err != nil || strings.Contains(r.String(), "secret") {
		t.Errorf("%v %v", r, err)
	}
	t.Setenv("AWS_ENDPOINT_URL", "nonsense")
	if _, err := bucket.Open("s3://bucket"); err == nil || !strings.Contains(err.Error(), "AWS_ENDPOINT_URL") {
		t.Error(err)
	}
}

// TestRedirects has a server redirect a reader to itself, to another server and to a loop. Only the
// first is followed, and the other server is not asked.
func TestRedirects(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte("theirs"))
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/there":
			_, _ = w.Write([]byte("ours"))
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
		}
	}))
	defer server.Close()
	b := suite.Must(bucket.OpenReader(server.URL))(t)
	if data, err := bucket.Read(t.Context(), b, "moved", 100); err != nil || string(data) != "ours" {
		t.Errorf("%q %v", data, err)
	}
	for name, want := range map[string]string{"away": "not the same server", "loop": "too many redirects"} {
		if data, err := bucket.Read(t.Context(), b, name, 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q %v", name, data, err)
		}
	}
	if asked > 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
}

// TestRedirectToPlainHTTP has a server with https redirect a reader to the same host with http.
func TestRedirectToPlainHTTP(t *testing.T) {
	at := func(address string) *http.Request { return httptest.NewRequest(http.MethodGet, address, nil) }
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"https://a.example/x", "https://a.example/y", true}, {"http://a.example/x", "http://A.example/y", true},
		{"http://a.example/x", "https://a.example/x", true}, {"https://a.example/x", "http://a.example/x", false},
		{"https://a.example/x", "https://b.example/x", false}, {"https://a.example/x", "https://a.example:8443/x", false},
		{"http://a.example/x", "https://a.example:22/x", false}, {"https://a.example/x", "https://169.254.169.254/x", false},
	} {
		if err := bucket.CheckRedirect(at(c.to), []*http.Request{at(c.from)}); (err == nil) != c.allowed {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
		}
	}
}
