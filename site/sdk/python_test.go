package sdk_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/site/sdk"
)

const pythonReadme = "site/sdk/python/README.md"

// TestPython runs every code block in the README, of which the first installs the Python client
// from a running edge. It then installs the client in the other ways, and runs the programs in
// testdata/python with it, with warnings as errors.
func TestPython(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	v := fromReadme(t)
	t.Run("install", v.checkInstall)
	receiver := edgetest.NewReceiver(t)
	e := edgetest.Start(t, edge.Options{Dir: renamedAndDeleted(t), LimitKey: 100_000, LimitAnonymous: 100_000, Guard: receiver.Guard})
	key := e.Key(t, "python")
	v.env = append(v.env, "KINDEX_URL="+e.URL, "KINDEX_API_KEY="+key)
	secret := v.registered(t, e.URL, key, receiver.URL)
	file, delivery := delivered(t, receiver)

	for class, more := range map[string]string{"Operations": "test_operations.Interface", "AsynchronousOperations": ""} {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			record := &recorder{}
			public := edgetest.Start(t, edge.Options{Dir: e.Dir, LimitKey: 100_000}, record.wrap)
			v.test(t, []string{"KINDEX_URL=" + public.URL, "KINDEX_API_KEY=" + public.Key(t, class)}, strings.Fields("test_operations."+class+" "+more)...)
			record.everyOperation(t)
		})
	}
	t.Run("programs", func(t *testing.T) {
		t.Parallel()
		busy := edgetest.Start(t, edge.Options{LimitAnonymous: 1000}, unavailable("/api/categories", 2, 1))
		url, ca := overTLS(t, e)
		cut := edgetest.Start(t, edge.Options{LimitAnonymous: 1000}, edgetest.Cut("/api/export/entities", 50_000, 2),
			edgetest.Cut("/api/export/changelog", 50_000, 2), edgetest.Cut("/data/", 50_000, 2))
		limited := lastDay(t, edge.Options{LimitAnonymous: 3})
		env := []string{"KINDEX_BUSY=" + busy.URL, "KINDEX_TLS=" + url, "KINDEX_CA=" + ca, "KINDEX_CUT=" + cut.URL, "KINDEX_LIMITED=" + limited.URL,
			"KINDEX_SECRET=" + secret, "KINDEX_DELIVERY=" + file}
		v.test(t, env, "test_errors", "test_hostile", "test_network", "test_streams", "test_async", "test_limits", "test_webhooks")
	})
	t.Run("receiver", func(t *testing.T) {
		t.Parallel()
		v.serveReceiver(t, e, secret, delivery)
	})
}

// checkInstall checks what pip has installed, and that it verifies the hash of the permanent URL.
func (v *venv) checkInstall(t *testing.T) {
	newest := sdk.Versions(sdk.Python)[0]
	address := edgetest.Start(t, edge.Options{}).URL + "/api/sdk/python/" + newest.File
	requirements := filepath.Join(v.dir, "requirements.txt")
	install := []string{"install", "--no-index", "--force-reinstall", "--require-hashes", "-r", requirements}
	write(t, requirements, "kindex @ "+address+" --hash=sha256:"+strings.Repeat("0", 64)+"\n")
	if out, err := v.command(t, "pip", install...).CombinedOutput(); err == nil || !bytes.Contains(out, []byte("DO NOT MATCH")) {
		t.Errorf("pip installed a package with another hash: %v\n%s", err, out)
	}
	if suite.Soaking() { // the README has installed the same file
		write(t, requirements, "kindex @ "+address+" --hash=sha256:"+hex.EncodeToString(newest.SHA256[:])+"\n")
		suite.Output(t, v.command(t, "pip", install...))
	}
	const show = `import kindex, importlib.metadata
d = importlib.metadata.distribution("kindex")
print(kindex.__version__, d.version, d.requires, d.metadata["License"] or d.metadata["License-Expression"], *d.files)`
	shown := string(v.python(t, []string{"-c", show}))
	for _, want := range []string{newest.Version + " " + newest.Version + " None Apache-2.0 ", "kindex/py.typed", "kindex/types.py"} {
		suite.Contains(t, shown, want)
	}
}

// TestPythonSources checks that the syntax is that of Python 3.9, and all versions agree.
func TestPythonSources(t *testing.T) {
	suite.InTest(t)
	const syntax = `import ast, pathlib, sys
for f in pathlib.Path().rglob("*.py"):
    ast.parse(f.read_text(), str(f), feature_version=(3, 9))
sys.path.insert(0, "src")
import kindex
print(kindex.__version__, end="")`
	newest, dir := sdk.Versions(sdk.Python)[0], t.TempDir()
	unpack := exec.Command("tar", "xz", "--strip-components=1", "-C", dir)
	unpack.Stdin = bytes.NewReader(newest.Data)
	suite.Output(t, unpack)
	cmd := exec.Command(needPython(t), "-B", "-c", syntax)
	cmd.Dir = dir
	if got := suite.Output(t, cmd); got != newest.Version {
		t.Errorf("kindex.__version__ is %s, want %s as in the description", got, newest.Version)
	}
}

// TestPythonTypes checks the package, and the programs that use it, with pyright in strict
// mode, for the oldest Python and the newest.
func TestPythonTypes(t *testing.T) {
	suite.InSoak(t, "starts another compiler; TestPython compares the results of every operation with their types")
	t.Parallel()
	modules := suite.NodeModules(t, "pyright")
	python := needPython(t)
	for _, version := range []string{"3.9", "3.13"} {
		dir := t.TempDir()
		for from, to := range map[string]string{filepath.Join(pythonPackage(t), "src/kindex"): "kindex", "testdata/python": "."} {
			suite.Check(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(from)))
		}
		for i, b := range edgetest.Blocks(t, pythonReadme) {
			if b.Language == "python" {
				name := "example_" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + ".py"
				write(t, filepath.Join(dir, name), b.Text)
			}
		}
		write(t, filepath.Join(dir, "misuse.py"), "import kindex; client = kindex.Client('http://127.0.0.1:1')\n"+strings.Join(misuses, "\n")+"\n# pyright: basic\n")
		write(t, filepath.Join(dir, "pyrightconfig.json"), `{"pythonVersion": "`+version+`", "typeCheckingMode": "strict", "reportMissingModuleSource": "none",
			"include": ["kindex", "example_*.py", "misuse.py"], "reportUnnecessaryTypeIgnoreComment": "error"}`)
		cmd := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin", "pyright"), "--project", ".", "--pythonpath", python, "--warnings")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		for i, wrong := range misuses {
			if place := fmt.Sprintf("misuse.py:%d:", i+2); bytes.Count(out, []byte(place)) != 1 {
				t.Errorf("%s: want one type error there: %v\n%s", wrong, err, out)
			}
		}
		if summary := fmt.Sprintf("%d errors, 0 warnings", len(misuses)); !bytes.Contains(out, []byte(summary)) {
			t.Errorf("Python %s: %v\n%s", version, err, out)
		}
	}
}

// misuses are programs that the type checker must reject.
var misuses = []string{
	`client.get_entity("toll", "pytorch")`,
	`print(client.get_entity("tool", "pytorch")["nmae"])`,
	`print(client.get_entity("tool", "pytorch")["scores"]["composite"] + 1)`, // it may be None
	`client.list_entities(limt=3)`,
	`client.list_entities(open_weights="yes")`,
	`client.list_entities(sort="nmae")`,
	`client.list_entities(status=["active", "gone"])`,
	`client.export_entities(format="xml")`,
	`client.submit_entity({"type": "tool", "name": "N"})`,
	`print(client.get_feed(format="rss")["items"])`,
}

// fromReadme runs every code block in the README, and returns the virtual environment that the
// first one creates.
func fromReadme(t *testing.T) *venv {
	t.Helper()
	program := needPython(t)
	e := edgetest.Start(t, edge.Options{LimitKey: 1000})
	dir := t.TempDir()
	v := &venv{dir: filepath.Join(dir, ".venv"), env: pythonEnv()}
	python := []string{filepath.Join(v.dir, "bin", "python3"), "-X", "dev", "-W", "error"}
	edgetest.Examples(t, pythonReadme, edgetest.Run{Edge: e, Key: e.Key(t, "ada"), Dir: dir, Path: fastVenv(t, program),
		Programs: map[string][]string{"python": python},
		Except:   []edgetest.Exception{{Text: "python3 receiver.py", Reason: "it serves until it is ended; TestPython/receiver runs it"}}})
	return v
}
