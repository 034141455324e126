package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestEngine: make build fetches the search library of static sites with npm, and says what is
// missing where npm is, without failing.
func TestEngine(t *testing.T) {
	t.Parallel()
	const library = "site/pages/npm/minisearch.js"
	npm := `#!/bin/sh
[ "$1 $2 $3" = "ci --ignore-scripts --prefix" ] && [ -e "$4/package-lock.json" ] || exit 1
mkdir -p "$4/node_modules/minisearch/dist/es"
echo licence > "$4/node_modules/minisearch/LICENSE.txt"
echo 'export default class MiniSearch {}' > "$4/node_modules/minisearch/dist/es/index.js"
`
	broken := "#!/bin/sh\nexit 1\n"
	for name, c := range map[string]struct {
		npm       string
		has, want bool
	}{
		"fetched": {npm: npm, want: true}, "no npm": {}, "offline": {npm: broken}, "offline, but fetched before": {npm: broken, has: true, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, path := t.TempDir(), t.TempDir()
			for _, file := range []string{"Makefile", "site/package.json", "site/package-lock.json"} {
				data := suite.Must(os.ReadFile(filepath.Join("../..", file)))(t)
				writeFile(t, filepath.Join(dir, file), string(data))
			}
			writeFile(t, filepath.Join(dir, filepath.Dir(library), "README.md"), "")
			if c.has {
				writeFile(t, filepath.Join(dir, library), "old")
				suite.Check(t, os.Chtimes(filepath.Join(dir, library), time.Unix(0, 0), time.Unix(0, 0)))
			}
			for _, tool := range []string{"make", "bash", "sh", "mktemp", "cp", "cat", "grep", "mv", "rm", "mkdir", "tail", "git"} {
				found := suite.Must(exec.LookPath(tool))(t)
				suite.Check(t, os.Symlink(found, filepath.Join(path, tool)))
			}
			if c.npm != "" {
				suite.Check(t, os.WriteFile(filepath.Join(path, "npm"), []byte(c.npm), 0o700))
			}
			cmd := exec.Command(filepath.Join(path, "make"), "engine")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path, "MAKEFLAGS=", "GOFLAGS=")
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			_, missing := os.Stat(filepath.Join(dir, library))
			if said := strings.Contains(string(out), "cannot write static sites"); (missing == nil) != c.want || said == c.want {
				t.Errorf("the library is there: %v; make says %q", missing == nil, out)
			}
		})
	}
}
