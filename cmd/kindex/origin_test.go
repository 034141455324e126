package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/exports/bucket"
	"kindex/exports/bucket/buckettest"
)

// origin is a bucket whose objects are files, with a server in front of it that fails on demand.
// Edges use that server, and publishers use the bucket itself.
type origin struct {
	t       *testing.T
	dir     string        // has the objects as files
	bucket  bucket.Bucket // as publishers see it
	from    string        // the address for edges
	to      string        // the address for publishers
	env     []string      // of edges
	s3      *buckettest.Server
	content string
	out     string
	day     int
	key     string // the file with the key that signs builds, or "" to sign none
	public  string // its verifier key

	fault    atomic.Pointer[fault]
	slow     atomic.Bool // answers slowly
	requests atomic.Int64
	mu       sync.Mutex
	versions map[string]string // the version that every entity of a build has, by ID
}

// fault answers a request for an object in place of the bucket, or returns false to leave it to
// the bucket.
type fault func(w http.ResponseWriter, name string) bool

// eachOrigin runs a test with each kind of storage: a folder with a web server and, in make soak,
// an S3 server.
func eachOrigin(t *testing.T, test func(t *testing.T, o *origin)) {
	t.Helper()
	if !suite.Soaking() {
		t.Parallel() // the S3 server's credentials are variables of this process
	}
	t.Run("web", func(t *testing.T) { test(t, newOrigin(t, nil)) })
	t.Run("s3", func(t *testing.T) { test(t, newOrigin(t, buckettest.Start(t))) })
}

// newOrigin returns an origin on an S3 server, or in a folder if that is nil.
func newOrigin(t *testing.T, s3 *buckettest.Server) *origin {
	t.Helper()
	root := t.TempDir()
	o := &origin{t: t, s3: s3, content: filepath.Join(root, "content"), out: filepath.Join(root, "out"), versions: map[string]string{}}
	if s3 == nil {
		o.dir = filepath.Join(root, "bucket")
		suite.Check(t, os.Mkdir(o.dir, 0o755))
		o.to, o.from = "file:"+o.dir, o.serve("/", http.FileServerFS(os.DirFS(o.dir)))
	} else {
		o.dir, o.to, o.from = s3.Dir, s3.Address, s3.Address
		o.env = []string{"AWS_ENDPOINT_URL=" + o.serve("/"+s3.Bucket+"/", o.gateway())}
	}
	o.bucket = suite.Must(bucket.Open(o.to))(t)
	return o
}

// serve starts the server in front of the bucket, whose objects have paths that start with prefix.
func (o *origin) serve(prefix string, objects http.Handler) (address string) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.requests.Add(1)
		if f := o.fault.Load(); f != nil && (*f)(w, strings.TrimPrefix(r.URL.Path, prefix)) {
			return
		}
		if o.slow.Load() {
			w = slowWriter{w}
		}
		objects.ServeHTTP(w, r)
	}))
	o.t.Cleanup(srv.Close)
	return srv.URL
}

// gateway sends requests to the S3 server, as they are signed.
func (o *origin) gateway() http.Handler {
	server := suite.Must(url.Parse(o.s3.URL))(o.t)
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, // closes the connection
		ErrorLog:     log.New(io.Discard, "", 0),
	}
}

// slowWriter sends a kilobyte at a time.
type slowWriter struct{ http.ResponseWriter }

// Write implements io.Writer.
func (w slowWriter) Write(b []byte) (written int, err error) {
	for err == nil && written < len(b) {
		var n int
		n, err = w.ResponseWriter.Write(b[written:min(written+1024, len(b))])
		written += n
		if err == nil {
			err = http.NewResponseController(w.ResponseWriter).Flush()
		}
		time.Sleep(20 * time.Millisecond)
	}
	return written, err
}

// fail sets the fault, or removes it if f is nil.
func (o *origin) fail(f fault) {
	if f == nil {
		o.fault.Store(nil)
		return
	}
	o.fault.Store(&f)
}

// refuse is a fault: it closes every connection.
func refuse(http.ResponseWriter, string) bool { panic(http.ErrAbortHandler) }

// sign creates the key that signs the builds of the origin.
func (o *origin) sign() {
	o.t.Helper()
	o.key, o.public = o.newKey()
}

func (o *origin) newKey() (file, public string) {
	o.t.Helper()
	file = filepath.Join(o.t.TempDir(), "builds.key")
	out := suite.Must(program("sign", "init", "--out", file, "--name", "builds.example.org/index").Output())(o.t)
	return file, strings.TrimSpace(string(out))
}

// publish builds and publishes another build, and returns its ID.
func (o *origin) publish() (id string) {
	o.t.Helper()
	id = o.build()
	o.put(o.key)
	return id
}

// build creates another build, which edges may serve, and returns its ID.
func (o *origin) build() (id string) {
	o.t.Helper()
	o.day++
	version := fmt.Sprintf("v%d", o.day)
	for i := range originEntities {
		text := fmt.Sprintf("name: Tool %d\ncategory: kind-%d\ndescription: Number %d of the tools that move.\nversion: %s\n", i, i%3, i, version)
		writeFile(o.t, filepath.Join(o.content, "tool", fmt.Sprintf("tool-%d.yaml", i)), text)
	}
	id = buildHere(o.t, builder.Options{Content: o.content, Out: o.out, AsOf: time.Date(2026, 1, o.day, 0, 0, 0, 0, time.UTC), Keep: 5})
	o.allow(id, version)
	return id
}

// buildHere builds content in this process, and returns the ID of the build. The program would take
// twice as long, because it starts with empty caches.
func buildHere(t *testing.T, o builder.Options) (id string) {
	t.Helper()
	r := suite.Must(builder.Build(t.Context(), o))(t)
	return r.ID
}

// allow lets edges serve a build, or forbids it if the version is "".
func (o *origin) allow(build, version string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.versions[build] = version
}

// originEntities is the number of entities in each build.
const originEntities = 20

// put publishes the build with the key in a file, or unsigned if that is "".
func (o *origin) put(key string) {
	o.t.Helper()
	if r := runHere(o.t, o.publishing(key)...); r.code != cli.ExitOK {
		o.t.Fatalf("kindex publish: %s", r.out)
	}
}

// publishing returns the arguments that publish the build.
func (o *origin) publishing(key string) []string {
	args := []string{"publish", "--from", o.out, "--to", o.to, "--dirty"}
	if key != "" {
		args = append(args, "--sign", key)
	}
	return args
}

// objects returns the objects whose names start with prefix, and what they contain.
func (o *origin) objects(prefix string) map[string][]byte {
	o.t.Helper()
	found := map[string][]byte{}
	for i, err := range o.bucket.List(o.t.Context(), prefix) {
		if err == nil {
			found[i.Name], err = bucket.Read(o.t.Context(), o.bucket, i.Name, 1<<30)
		}
		suite.Check(o.t, err)
	}
	return found
}

// write writes an object.
func (o *origin) write(name string, data []byte) {
	o.t.Helper()
	suite.Check(o.t, o.bucket.Write(o.t.Context(), name, bytes.NewReader(data), int64(len(data))))
}

// remove removes an object.
func (o *origin) remove(name string) {
	o.t.Helper()
	suite.Check(o.t, o.bucket.Remove(o.t.Context(), name))
}

// current returns the object that names the published build.
func (o *origin) current() []byte {
	o.t.Helper()
	return suite.Must(bucket.Read(o.t.Context(), o.bucket, "current", 1<<20))(o.t)
}
