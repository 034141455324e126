package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/edge/storage/storagetest"
	"kindex/exports/store"
	"kindex/site/pages"
)

// hanging is how long a test waits before it gives up. It is far longer than even a slow
// machine needs, and nothing else depends on it.
const hanging = 5 * time.Minute

// TestMain lets scripts and tests run the program as "kindex", and a fake "gh" that never
// contacts GitHub.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "kindex" {
		main()
	}
	testscript.Main(stopping{m}, map[string]func(){workerProgram: work, "gh": fakeGitHub})
}

// stopping runs the tests, and then stops the servers and removes the files that they
// share.
type stopping struct{ *testing.M }

// Run implements testscript.TestingM.
func (s stopping) Run() int {
	// Many tests and scripts wait for other programs and timers, so more of them run at
	// once than the machine has cores.
	flag.Parse()
	if set := flag.Lookup("test.parallel"); set.Value.String() == set.DefValue {
		_ = set.Value.Set("4")
	}
	uninstall, err := installProgram()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer uninstall()
	defer stopWorkers()
	defer storagetest.Stop()
	defer edgetest.Stop()
	defer func() { _ = os.RemoveAll(pristine.dir) }() // "" removes nothing
	return s.M.Run()
}

// TestScripts runs testdata/script, the specification of the command line. The scripts'
// additional commands are defined below.
func TestScripts(t *testing.T) {
	if testing.Short() { // one script for each of the main commands
		runScripts(t, "diff", "fmt", "help", "history", "import", "schema", "search", "show", "validate")
		return
	}
	runScripts(t, "*")
}

// TestServingScripts runs the scripts that exercise concurrent code. The others are not worth
// the race detector, with which the program takes twenty times longer to start.
func TestServingScripts(t *testing.T) {
	suite.InRace(t)
	runScripts(t, "serve_watch", "serve_webhooks", "state_serving")
}

// runScripts runs the scripts whose names match the patterns.
func runScripts(t *testing.T, patterns ...string) {
	t.Helper()
	var scripts []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join("testdata", "script", pattern+".txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no script matches %s: %v", pattern, err)
		}
		scripts = append(scripts, found...)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts, UpdateScripts: suite.Updating(), RequireUniqueNames: true, Setup: fixedEnvironment,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"kindex": cmdKindex, "exits": cmdExits, "json": cmdJSON, "jsonenv": cmdJSONEnv, "textenv": cmdTextEnv, "edit": cmdEdit, "flipbyte": cmdFlipByte,
			"sametree": cmdSameTree, "freeport": cmdFreePort, "waithttp": cmdWaitHTTP, "httpget": cmdHTTPGet, "sigterm": cmdSigterm,
			"postgres": cmdPostgres, "sqlite": cmdSQLite,
			"httppost": cmdHTTPPost, "httpdelete": cmdHTTPDelete, "readenv": cmdReadEnv, "forge": cmdForge, "lock": cmdLock, "forgebuild": cmdForgeBuild,
		},
		Condition: func(name string) (bool, error) {
			if name != "minisearch" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			if !pages.Searchable() && os.Getenv("CI") != "" {
				return false, errors.New("MiniSearch is needed: make site/pages/npm/minisearch.js")
			}
			return pages.Searchable(), nil
		},
	})
}

// testedProgram is the variable that names the program that scripts run instead of this one:
// cmd/dist tests a release this way.
const testedProgram = "KINDEX_TESTED_PROGRAM"

// fixedEnvironment isolates commits from the machine's settings and clock.
func fixedEnvironment(e *testscript.Env) error {
	if program := os.Getenv(testedProgram); program != "" {
		e.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+e.Getenv("PATH"))
	}
	e.Vars = append(e.Vars, programEnvironment...)
	if gogc := os.Getenv("GOGC"); gogc != "" {
		e.Setenv("GOGC", gogc) // a script's environment has only a few variables
	}
	e.Values[scriptTest{}] = e.T()
	e.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(e.WorkDir)) // do not find a repository around the test
	return nil
}

var programEnvironment = []string{
	"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
	"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=2026-03-01T10:00:00Z",
	"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=2026-03-01T10:00:00Z",
	"GORACE=atexit_sleep_ms=0", // otherwise every program that runs under the race detector takes a second longer
}

func usage(ts *testscript.TestScript, ok bool, text string) {
	if !ok {
		ts.Fatalf("usage: %s", text)
	}
}

// exits CODE PROGRAM [ARG...] checks that the program ends with exactly this code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "exits CODE PROGRAM [ARG...]")
	if got := runProgram(ts, args[1], args[2:]); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// valueAt finds a value in a JSON file by a path such as counts.types.tool or steps.0.name.
// If the last part is len, the value is the length of a list.
func valueAt(ts *testscript.TestScript, file, path string) any {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	dec.UseNumber()
	var v any
	ts.Check(dec.Decode(&v))
	for name := range strings.SplitSeq(path, ".") {
		ok := false
		switch in := v.(type) {
		case map[string]any:
			v, ok = in[name]
		case []any:
			if name == "len" {
				v, ok = len(in), true
			} else if i, err := strconv.Atoi(name); err == nil && i < len(in) {
				v, ok = in[i], true
			}
		}
		if !ok {
			ts.Fatalf("%s: nothing at %s", file, path)
		}
	}
	return v
}

// json FILE PATH VALUE checks a value in a JSON file; >N matches a number above N. FILE may
// be stdout.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "json FILE PATH VALUE")
	v := valueAt(ts, args[0], args[1])
	if bound, ok := strings.CutPrefix(args[2], ">"); ok {
		got, err1 := strconv.ParseFloat(fmt.Sprint(v), 64)
		want, err2 := strconv.ParseFloat(bound, 64)
		ts.Check(errors.Join(err1, err2))
		if got <= want {
			ts.Fatalf("%s is %v, want above %v", args[1], got, want)
		}
		return
	}
	if got := asText(v); got != args[2] {
		ts.Fatalf("%s is %s, want %s", args[1], got, args[2])
	}
}

// jsonenv FILE PATH VAR sets the variable to the value at a path in a JSON file.
func cmdJSONEnv(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "jsonenv FILE PATH VAR")
	ts.Setenv(args[2], asText(valueAt(ts, args[0], args[1])))
}

// textenv FILE VAR sets the variable to the only line of a file. FILE may be stdout.
func cmdTextEnv(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "textenv FILE VAR")
	ts.Setenv(args[1], strings.TrimSuffix(ts.ReadFile(args[0]), "\n"))
}

func asText(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(v)
}

// edit FILE OLD NEW replaces a string that must occur exactly once in the file.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "edit FILE OLD NEW")
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%s holds %q %d times", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// flipbyte FILE OFFSET inverts one byte; a negative offset counts from the end.
func cmdFlipByte(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "flipbyte FILE OFFSET")
	data := []byte(ts.ReadFile(args[0]))
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	if at < 0 {
		at += len(data)
	}
	if at < 0 || at >= len(data) {
		ts.Fatalf("%s has %d bytes", args[0], len(data))
	}
	data[at] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

// [!] sametree A B checks that two folders contain the same files with the same bytes.
func cmdSameTree(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 2, "[!] sametree A B")
	a, err1 := readTree(ts.MkAbs(args[0]))
	b, err2 := readTree(ts.MkAbs(args[1]))
	ts.Check(errors.Join(err1, err2))
	differs := ""
	for name := range a {
		if other, ok := b[name]; !ok || !bytes.Equal(a[name], other) {
			differs = name
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			differs = name
		}
	}
	switch {
	case len(a) == 0:
		ts.Fatalf("%s contains no files", args[0])
	case !neg && differs != "":
		ts.Fatalf("%s differs", differs)
	case neg && differs == "":
		ts.Fatalf("the folders are the same")
	}
}

func readTree(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil {
			files[rel], err = os.ReadFile(path)
		}
		return err
	})
	return files, err
}

// freeport VAR... sets each variable to an unused loopback address.
func cmdFreePort(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) > 0, "freeport VAR...")
	for _, name := range args {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		defer l.Close() // close the listeners only at the end, so that the ports differ
		ts.Setenv(name, l.Addr().String())
	}
}

// httpget URL STATUS [HEADER: VALUE] fetches a URL; the body becomes the output.
func cmdHTTPGet(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && (len(args) == 2 || len(args) == 3), "httpget URL STATUS ['HEADER: VALUE']")
	status, body, err := get(args[0], args[2:]...)
	ts.Check(err)
	fmt.Fprint(ts.Stdout(), body)
	if strconv.Itoa(status) != args[1] {
		ts.Fatalf("status %d, want %s", status, args[1])
	}
}

// waithttp URL TEXT waits until the URL returns 200 with TEXT in its body.
func cmdWaitHTTP(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "waithttp URL TEXT")
	end := time.Now().Add(hanging)
	for {
		status, body, err := get(args[0])
		if err == nil && status == http.StatusOK && strings.Contains(body, args[1]) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("after %v: status %d, error %v, body %.500s", hanging, status, err, body)
		}
		pause := 20 * time.Millisecond
		if err == nil { // requests without a key are limited, and builds are looked for twice a second
			pause = 200 * time.Millisecond
		}
		time.Sleep(pause)
	}
}

func get(url string, headers ...string) (status int, body string, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if req.Header.Set(name, value); name == "Host" {
			req.Host = value
		}
	}
	client := http.Client{Timeout: hanging, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// scriptTest is the key under which a script stores its testscript.T.
type scriptTest struct{}

// postgres VAR... sets each variable to the address of an empty PostgreSQL database.
func cmdPostgres(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) > 0, "postgres VAR...")
	for _, name := range args {
		target, err := storagetest.NewDatabase()
		if errors.Is(err, storagetest.ErrNotInstalled) {
			ts.Value(scriptTest{}).(testscript.T).Skip(err)
		}
		ts.Check(err)
		ts.Setenv(name, target)
	}
}

// sqlite FILE STATEMENT changes a SQLite file without the program's knowledge.
func cmdSQLite(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "sqlite FILE STATEMENT")
	ts.Check(storagetest.Exec(ts.MkAbs(args[0]), args[1]))
}

// heldLocks contains the locks that scripts hold, keyed by folder.
var heldLocks sync.Map

// lock DIR locks a folder, as a running builder does, until ! lock DIR releases the lock or
// the script ends.
func cmdLock(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 1, "[!] lock DIR")
	dir := ts.MkAbs(args[0])
	release := func() {
		if l, held := heldLocks.LoadAndDelete(dir); held {
			ts.Check(l.(*store.Lock).Release())
		}
	}
	if neg {
		release()
		return
	}
	l, err := store.AcquireLock(context.Background(), dir, nil)
	ts.Check(err)
	heldLocks.Store(dir, l)
	ts.Defer(release)
}

// sigterm sends SIGTERM to the programs in the background.
func cmdSigterm(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 0, "sigterm")
	for _, c := range ts.BackgroundCmds() {
		ts.Check(c.Process.Signal(syscall.SIGTERM))
	}
}
