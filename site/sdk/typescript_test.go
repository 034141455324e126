package sdk_test

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/openapi"
	"kindex/site/sdk"
)

// TestTypeScript runs every code block in the README, of which the first installs the TypeScript
// client from a running edge. It then runs the programs in testdata/typescript with the client, and
// installs it in the other ways. All programs are compiled at once.
func TestTypeScript(t *testing.T) {
	suite.InTest(t)
	nodeModules(t)
	t.Parallel()
	p := typescriptFromReadme(t)
	o := edge.Options{Dir: renamedAndDeleted(t), LimitKey: 100_000, LimitAnonymous: 100_000}
	e := edgetest.Start(t, o)
	key := e.Key(t, "acme")
	t.Run("programs", func(t *testing.T) {
		broken := edgetest.Start(t, edge.Options{LimitAnonymous: 1000}, edgetest.Cut("/api/export/", 100_000, 2), edgetest.Cut("/data/", 30_000, 3))
		busy := edgetest.Start(t, edge.Options{LimitAnonymous: 1000}, unavailable("/api/categories", 2, 1))
		few := lastDay(t, edge.Options{LimitKey: 3})
		for program, env := range map[string][]string{
			"reading.test.js": {"KEY=" + e.Key(t, "reader")}, // of its own account, whose limit the test reads
			"streams.test.js": {"KEY=" + key, "BROKEN=" + broken.URL},
			"faults.test.js":  {"BUSY=" + busy.URL},
			"limit.test.js":   {"URL=" + few.URL, "KEY=" + few.Key(t, "acme")},
		} {
			t.Run(program, func(t *testing.T) {
				t.Parallel()
				p.run(t, program, append([]string{"URL=" + e.URL}, env...)...)
			})
		}
		t.Run("operations", func(t *testing.T) {
			t.Parallel()
			receiver, record := edgetest.NewReceiver(t), &recorder{}
			o := o
			o.Guard = receiver.Guard
			own := edgetest.Start(t, o, record.wrap)
			out := filepath.Join(t.TempDir(), "webhook.json")
			p.run(t, "operations.test.js", "URL="+own.URL, "KEY="+own.Key(t, "acme"), "RECEIVER="+receiver.URL, "OUT="+out)
			record.everyOperation(t)
			file, _ := delivered(t, receiver)
			p.run(t, "webhook.test.js", "WEBHOOK="+out, "DELIVERY="+file)
		})
		t.Run("browser", func(t *testing.T) {
			t.Parallel()
			p.inBrowser(t, e.Dir)
		})
	})
	t.Run("install", p.checkInstall)
}

// project is a folder with the client installed.
type project struct{ dir, cache string }

// checkInstall checks that npm installs from the permanent URL and again from the lock file, and
// that it rejects a package that does not match the lock file.
func (p *project) checkInstall(t *testing.T) {
	e := edgetest.Start(t, edge.Options{})
	newest := sdk.Versions(sdk.TypeScript)[0]
	address := e.URL + "/api/sdk/typescript/" + newest.File
	suite.Output(t, p.npm(t, "install", address))
	lock, sum := filepath.Join(p.dir, "package-lock.json"), sha512.Sum512(newest.Data)
	text, hash := read(t, lock), "sha512-"+base64.StdEncoding.EncodeToString(sum[:])
	if !strings.Contains(text, hash) || !strings.Contains(text, `"resolved": "`+address+`"`) {
		t.Errorf("the lock file lacks %s or %s:\n%s", address, hash, text)
	}
	remove(t, filepath.Join(p.dir, "node_modules"))
	p.cache = t.TempDir() // so that the package is fetched from the edge again
	if suite.Soaking() {  // otherwise, only that another package is rejected
		suite.Output(t, p.npm(t, "ci"))
		if text := read(t, filepath.Join(p.dir, "node_modules/kindex/package.json")); !strings.Contains(text, `"version": "`+newest.Version+`"`) {
			t.Fatalf("another version than %s was installed: %s", newest.Version, text)
		}
	}
	another := sha512.Sum512([]byte("another package"))
	write(t, lock, strings.ReplaceAll(text, hash, "sha512-"+base64.StdEncoding.EncodeToString(another[:])))
	remove(t, filepath.Join(p.dir, "node_modules"))
	if out, err := p.npm(t, "ci").CombinedOutput(); err == nil || !bytes.Contains(out, []byte("EINTEGRITY")) {
		t.Errorf("npm ci of a package with another hash: %v\n%s", err, out)
	}
}

// npm returns an npm command that cannot reach a registry.
func (p *project) npm(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "npm", args...)
	cmd.Dir = p.dir
	cmd.Env = append(p.env(), "npm_config_registry=http://127.0.0.1:1/", "npm_config_cache="+p.cache, "npm_config_userconfig="+os.DevNull,
		"npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false", "npm_config_fetch_retries=0")
	return cmd
}

// env returns the environment without variables that would redirect npm.
func (p *project) env() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToLower(v), "=")
		return strings.HasPrefix(name, "npm_") || strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "node_")
	})
}

func (p *project) node(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Dir, cmd.Env = p.dir, p.env()
	return cmd
}

// run runs a compiled test program.
func (p *project) run(t *testing.T, program string, env ...string) {
	t.Helper()
	cmd := p.node(t, "--test-timeout=600000", "--test-reporter=spec", program)
	cmd.Env = append(cmd.Env, env...)
	t.Logf("%s", suite.Output(t, cmd))
}

// changed is the build of renamedAndDeleted, which tests share.
var changed struct {
	sync.Once
	dir string
}

// renamedAndDeleted returns the folder of a build in which tool/tensorlayer was renamed to
// tool/tensor-layer and tool/agate was deleted.
func renamedAndDeleted(t *testing.T) string {
	t.Helper()
	changed.Do(func() {
		content := edgetest.Content(t)
		old := filepath.Join(content, "tool/tensorlayer.yaml")
		write(t, filepath.Join(content, "tool/tensor-layer.yaml"), read(t, old)+"formerly: [tensorlayer]\n")
		remove(t, old)
		remove(t, filepath.Join(content, "tool/agate.yaml"))
		edgetest.Commit(t, filepath.Dir(content), 1)
		dir := suite.Must(os.MkdirTemp("", "kindex-sdk-"))(t)
		changed.dir = dir
		edgetest.Build(t, content, dir)
	})
	return changed.dir
}

// delivered writes the delivery that a receiver received to a file, and returns the file's name.
func delivered(t *testing.T, r *edgetest.Receiver) (name string, d edgetest.Delivery) {
	t.Helper()
	select {
	case d = <-r.Came:
	case <-time.After(patience):
		t.Fatal("nothing was delivered")
	}
	header := map[string]string{}
	for name := range d.Header {
		header[strings.ToLower(name)] = d.Header.Get(name)
	}
	b := suite.Must(json.Marshal(map[string]any{"headers": header, "body": d.Body}))(t)
	name = filepath.Join(t.TempDir(), "delivery.json")
	write(t, name, string(b))
	return name, d
}

// recorder records requests.
type recorder struct {
	mu    sync.Mutex
	asked []string // method and path
}

func (r *recorder) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.asked = append(r.asked, req.Method+" "+req.URL.Path)
		r.mu.Unlock()
		next.ServeHTTP(w, req)
	})
}

// operation is an operation of the description.
type operation struct {
	id      string
	address *regexp.Regexp // matches the method and the path
}

func operations(t *testing.T) []operation {
	t.Helper()
	var description struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		}
	}
	inJSON := suite.Must(openapi.JSON(openapi.YAML))(t)
	suite.Check(t, json.Unmarshal(inJSON, &description))
	var list []operation
	for path, methods := range description.Paths {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(path), `\{file\}`, `.+`)
		pattern = regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(pattern, `[^/]+`)
		for method, o := range methods {
			if o.OperationID != "" {
				list = append(list, operation{o.OperationID, regexp.MustCompile("^" + strings.ToUpper(method) + " " + pattern + "$")})
			}
		}
	}
	if len(list) < 30 {
		t.Fatalf("the description has only %d operations: is it parsed correctly?", len(list))
	}
	return list
}

// everyOperation fails for operations of the description that were not requested.
func (r *recorder) everyOperation(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range operations(t) {
		if !slices.ContainsFunc(r.asked, o.address.MatchString) {
			t.Errorf("%s was not called", o.id)
		}
	}
}

// nodeModules is the folder with the compiler.
func nodeModules(t *testing.T) string {
	t.Helper()
	return suite.NodeModules(t, "typescript")
}

func read(t *testing.T, name string) string {
	t.Helper()
	b := suite.Must(os.ReadFile(name))(t)
	return string(b)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	suite.Check(t, os.WriteFile(name, []byte(text), 0o644))
}

func remove(t *testing.T, name string) {
	t.Helper()
	suite.Check(t, os.RemoveAll(name))
}
