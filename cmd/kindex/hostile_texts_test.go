package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/safetext"
)

// ran is the result of a command.
type ran struct {
	code int
	out  string // stdout and stderr
}

func runKindex(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	o := workIn(t, dir, nil, args...)
	return ran{o.Code, o.Stdout + o.Stderr}
}

// runHere is like runKindex, but runs the command in this process, for tests that measure it or need no folder.
func runHere(t *testing.T, args ...string) ran {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), args, &out, &out)
	return ran{code: code, out: out.String()}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	suite.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	suite.Check(t, os.WriteFile(path, []byte(text), 0o644))
}

// hiddenTexts are instructions for agents that are invisible to people.
var hiddenTexts = map[string]string{
	"tags":      "Fast.\U000e0049\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065",
	"zero":      "Fa\u200bst.",
	"selectors": "Fast.😀\U000e0153\U000e0154\U000e0155",
	"bytes":     "中\U000e0139文\U000e0157字\U000e015e", // one character from each range; the variation selectors follow ideographs
	"filler":    "\u3164",
	"braille":   "Fast.\u2800\u2800",
	"private":   "Fast.\ue000",
	"jamo":      "Fast.\u115f\u1160",
	"joiner":    "F\u200dast.",
}

// TestHiddenTexts checks that no build contains invisible text, raw or escaped, and that
// the formatter does not silently remove it.
func TestHiddenTexts(t *testing.T) {
	suite.InTest(t)
	for name, text := range hiddenTexts {
		for form, written := range map[string]string{"raw": text, "escaped": strings.Trim(fmt.Sprintf("%+q", text), `"`)} {
			t.Run(name+" "+form, func(t *testing.T) {
				dir := t.TempDir()
				content := filepath.Join(dir, "content")
				file := "name: X\ncategory: nlp\ndescription: \"" + written + "\"\n"
				writeFile(t, filepath.Join(dir, "content/tool/x.yaml"), file)
				if r := runHere(t, "validate", content); r.code != 1 || !strings.Contains(r.out, "content/tool/x.yaml:3:") || !strings.Contains(r.out, "the hidden character U+") {
					t.Errorf("validate exits with %d: %s", r.code, r.out)
				}
				if r := runHere(t, "build", "--content", content, "--out", filepath.Join(dir, "out")); r.code != 1 || !strings.Contains(r.out, "the hidden character U+") {
					t.Errorf("build exits with %d: %s", r.code, r.out)
				}
				runHere(t, "fmt", content)
				after, err := os.ReadFile(filepath.Join(dir, "content/tool/x.yaml"))
				if form == "raw" && (err != nil || string(after) != file) {
					t.Errorf("fmt wrote %q, want %q unchanged (%v)", after, file, err)
				}
			})
		}
	}
}

// TestCostOfRefusal checks that refusing a file allocates a limited amount of memory for each of
// its bytes, however many fields and lines it has.
func TestCostOfRefusal(t *testing.T) {
	suite.InTest(t)
	keys := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	// The YAML parser needs up to 2,300 bytes where the program limits the number of keys. Without
	// the limit, 8,000 keys take 3,600, and more take more.
	const head, maxAllocated = "name: X\ncategory: nlp\ndescription: D\n", 3000
	dir := t.TempDir()
	write := func(name, file, text string) {
		content := filepath.Join(dir, name)
		writeFile(t, filepath.Join(content, "tool/x.yaml"), head)
		writeFile(t, filepath.Join(content, file), text)
	}
	cost := func(name string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := runHere(t, "validate", filepath.Join(dir, name))
		runtime.ReadMemStats(&after)
		if (r.code == 0) != (name == "right") || len(r.out) > 64<<10 {
			t.Fatalf("%s: validate exits with %d, after %d bytes: %.300s", name, r.code, len(r.out), r.out)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	write("right", "tool/x.yaml", head+"tags: ["+keys(50, "t%d, ")+"]\n")
	cost("right") // what the first run sets up is not counted
	right := cost("right")
	for name, c := range map[string][2]string{
		"8000-keys":      {"tool/x.yaml", head + keys(8000, "key%d: 1\n")},
		"near-keys":      {"tool/x.yaml", head + keys(5000, "descriptio%d: 1\n")},
		"nested-keys":    {"tool/x.yaml", head + "links:\n" + keys(5000, "  key%d: 1\n")},
		"aliases":        {"tool/x.yaml", head + "a: &a 1\n" + keys(4000, "key%d: *a\n")},
		"blank-lines":    {"tool/x.yaml", head + "provider: >\n" + strings.Repeat("\n", 30_000) + "  x\n"},
		"complex-keys":   {"tool/x.yaml", strings.Repeat("? a\n", 8000)},
		"categories":     {"categories.yaml", "categories:\n" + keys(3000, "- {slg: %d}\n")},
		"scoring":        {"scoring.yaml", "version: \"1\"\n" + keys(5000, "key%d: 1\n")},
		"blank-in-root":  {"index.yaml", "title: >\n" + strings.Repeat("\n", 30_000)},
		"hidden":         {"tool/x.yaml", head + strings.Repeat("# \u200b\n", 8000)},
		"one-megabyte":   {"tool/x.yaml", head + "# " + strings.Repeat("x", 1<<20)},
		"many-documents": {"tool/x.yaml", strings.Repeat("---\na: 1\n", 4000)},
	} {
		write(name, c[0], c[1])
		got := cost(name)
		t.Logf("%-14s %d bytes for each of %d", name, got/uint64(len(c[1])), len(c[1]))
		if got > right+maxAllocated*uint64(len(c[1])) {
			t.Errorf("%s: %d bytes for each of %d", name, got/uint64(len(c[1])), len(c[1]))
		}
	}
}

// hostileText contains characters that control terminals and characters that people cannot
// see.
const hostileText = "a\x1b[2J\x1b]0;b\x07\u202ec\u200b\U000e0041\u009bd"

// checkOutput fails if the output contains characters that control a terminal or are
// invisible.
func checkOutput(t *testing.T, what, out string) {
	t.Helper()
	for at, r := range safetext.Hidden(out) {
		if r != '\n' && r != '\t' {
			t.Errorf("%s prints %U: %.200q", what, r, out[max(0, at-40):])
			return
		}
	}
}

// TestTerminal passes hostile strings to commands through every available input: file
// names, commit authors and subjects, branch names, arguments, and responses from a
// service.
func TestTerminal(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	const good = "name: X\ncategory: nlp\ndescription: D\n"
	writeFile(t, filepath.Join(dir, "content/tool/x.yaml"), good)
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(append(os.Environ(), programEnvironment...), "GIT_AUTHOR_NAME="+hostileText, "GIT_COMMITTER_NAME="+hostileText)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "content")
	git("commit", "-q", "-m", hostileText)
	writeFile(t, filepath.Join(dir, "content/tool/x.yaml"), strings.Replace(good, "D", "E", 1))
	git("commit", "-q", "-a", "-m", hostileText)
	for _, args := range [][]string{
		{"build", "--content", "content", "--out", "."}, {"history"}, {"history", "--json"}, {"diff", "HEAD~1..HEAD"},
		{"diff", "HEAD~1..HEAD", "--format", "markdown"}, {"show", "tool/x"}, {"search", hostileText}, {"show", hostileText}, {"show", "tool/" + hostileText},
		{"validate", hostileText}, {"diff", hostileText}, {"verify", hostileText}, {hostileText}, {"history", "--dir", hostileText}, {"schema", hostileText}, {"fmt", hostileText},
	} {
		checkOutput(t, fmt.Sprintf("%.20q", args), runKindex(t, dir, args...).out)
	}

	// This covers file names, and a file that only the formatter rejects.
	writeFile(t, filepath.Join(dir, "content/tool/\x1b[2Jn\u202e\u200b.yaml"), "name:   X\ncategory: nlp\ndescription: D\n")
	writeFile(t, filepath.Join(dir, "rows\x1b[2J\u202e.csv"), "name,"+hostileText+"\nX,"+hostileText+"\n")
	writeFile(t, filepath.Join(dir, "map.yaml"), "type: tool\nfields: {name: name, category: {constant: nlp}, description: name}\n")
	for _, args := range [][]string{
		{"validate", "content"}, {"validate", "--format", "github", "content"}, {"validate", "--format", "json", "content"},
		{"fmt", "--check", "content"}, {"build", "--content", "content", "--out", "."},
		{"import", "rows\x1b[2J\u202e.csv", "--map", "map.yaml", "--content", "imported"},
	} {
		r := runKindex(t, dir, args...)
		if r.code == 0 && args[0] != "import" && args[0] != "fmt" || r.out == "" {
			t.Errorf("%v exits with %d: %s", args, r.code, r.out)
		}
		checkOutput(t, fmt.Sprint(args), r.out)
	}
}

// TestHostileService checks that a service's responses reach the terminal as plain text.
func TestHostileService(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusForbidden)
		_ = json.NewEncoder(w).Encode(map[string]any{"detail": hostileText + "\nkindex: published all", "suggestion": hostileText, "status": 403})
	}))
	defer server.Close()
	r := runKindex(t, t.TempDir(), "mcp", "--url", server.URL)
	if r.code == 0 || strings.Count(r.out, "\n") != 1 {
		t.Errorf("mcp exits with %d: %q", r.code, r.out)
	}
	checkOutput(t, "mcp", r.out)
}
