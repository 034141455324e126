package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/suite"
)

// TestFiles reads each archive in testdata: a file of a project, its other files, and what
// is expected, one entry per line, or an error.
func TestFiles(t *testing.T) {
	suite.Archives(t, "testdata", 15, func(t *testing.T, _ string, files []txtar.File) string {
		got := describe(unpack(t, files), files[0].Name)
		if strings.Contains(got, "secret") || strings.Contains(got, "@ss") {
			t.Errorf("a secret is shown:\n%s", got)
		}
		return got
	})
}

func unpack(t testing.TB, files []txtar.File) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		suite.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		suite.Check(t, os.WriteFile(path, f.Data, 0o644))
	}
	return dir
}

// describe returns the entries of a file, one per line, and the error.
func describe(dir, name string) string {
	var r Reader
	r.Read(filepath.Join(dir, name))
	var b strings.Builder
	for _, e := range r.Entries {
		id := append(e.IDs, "("+e.Name+")")[0]
		fmt.Fprintf(&b, "%s:%d %s", strings.TrimPrefix(e.File, filepath.ToSlash(dir)+"/"), e.Line, id)
		if e.Version != "" {
			fmt.Fprintf(&b, " %s", e.Version)
		}
		if len(e.IDs) > 1 {
			fmt.Fprintf(&b, " or %s", strings.Join(e.IDs[1:], ", "))
		}
		if e.Note != "" {
			fmt.Fprintf(&b, " [%s]", e.Note)
		}
		b.WriteByte('\n')
	}
	for _, u := range r.Unreadable {
		fmt.Fprintf(&b, "unreadable %s:%d %s\n", strings.TrimPrefix(u.File, filepath.ToSlash(dir)+"/"), u.Line, u.Reason)
	}
	return b.String()
}

// TestIncludesStayInside includes files outside the folder, through links and through a
// pipe.
func TestIncludesStayInside(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "project")
	suite.Check(t, os.Mkdir(dir, 0o755))
	write := func(path, text string) {
		t.Helper()
		suite.Check(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write(filepath.Join(outer, "secret.txt"), "secret==1\n")
	write(filepath.Join(dir, "inside.txt"), "inside\n")
	if runtime.GOOS != "windows" {
		for link, to := range map[string]string{"out.txt": "../secret.txt", "folder": "..", "in.txt": "inside.txt", "root.txt": "/etc/hosts"} {
			suite.Check(t, os.Symlink(to, filepath.Join(dir, link)))
		}
		for _, include := range []string{"out.txt", "folder/secret.txt", "root.txt"} {
			write(filepath.Join(dir, "requirements.txt"), "-r "+include+"\n")
			if got := describe(dir, "requirements.txt"); !strings.Contains(got, "escapes") || strings.Contains(got, "secret==") || strings.Contains(got, "pypi:") {
				t.Errorf("%s: %s", include, got)
			}
		}
		write(filepath.Join(dir, "requirements.txt"), "-r in.txt\n")
		suite.Equal(t, describe(dir, "requirements.txt"), "in.txt:1 pypi:inside\n")
	}
	for _, include := range []string{"../secret.txt", filepath.Join(outer, "secret.txt"), "a/../../secret.txt"} {
		write(filepath.Join(dir, "requirements.txt"), "-r "+include+"\n")
		if got := describe(dir, "requirements.txt"); !strings.Contains(got, "outside its folder") && !strings.Contains(got, "no such file") || strings.Contains(got, "pypi:") {
			t.Errorf("%s: %s", include, got)
		}
	}
	write(filepath.Join(dir, "requirements.txt"), "-r .\n")
	suite.Contains(t, describe(dir, "requirements.txt"), "not a regular file")
}

// TestLimits reads files that are too large, too deep or too long.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	deep := 100_000
	for _, c := range []struct{ name, text, want string }{
		{"requirements.txt", strings.Repeat("a\n", MaxEntries+1), "more than 50000 packages"},
		{"requirements.txt", strings.Repeat("#", MaxFileSize+1), "larger than 20 MiB"},
		{"requirements.txt", strings.Repeat("a", 1001), "longer than 1000 bytes"},
		{"models.txt", strings.Repeat("a", 1001), "longer than 1000 bytes"},
		{"package.json", strings.Repeat(`{"a":`, deep), "nested more than 200 deep"},
		{"sbom.json", strings.Repeat(`[`, deep), "nested more than 200 deep"},
		{"pyproject.toml", "a = " + strings.Repeat("[", deep), "nested more than 200 deep"},
		{"Cargo.toml", "a = " + strings.Repeat("{a=", deep), "nested more than 200 deep"},
		{"environment.yml", "dependencies: " + strings.Repeat("[", deep), "nested more than"},
		{"bom.xml", `<bom xmlns="http://cyclonedx.org/schema/bom/1.4">` + strings.Repeat("<components><component>", deep), "nested more than 200 deep"},
	} {
		suite.Check(t, os.WriteFile(filepath.Join(dir, c.name), []byte(c.text), 0o644))
		if got := describe(dir, c.name); !strings.Contains(got, c.want) {
			t.Errorf("%s: %.300s, want %s", c.name, got[max(0, len(got)-300):], c.want)
		}
	}
	for i := range 12 {
		suite.Check(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("r%d-requirements.txt", i)), fmt.Appendf(nil, "-r r%d-requirements.txt\n", i+1), 0o644))
	}
	suite.Contains(t, describe(dir, "r0-requirements.txt"), "nested more than 10 deep")
}

// FuzzRead reads any text as each kind of file. A file may be wrong, but must not end the
// program, take a file from elsewhere, or state lines that it does not have.
func FuzzRead(f *testing.F) {
	archives := suite.Must(filepath.Glob("testdata/*.txtar"))(f)
	names := []string{"package.json", "package-lock.json", "go.mod", "Cargo.toml", "Cargo.lock", "pyproject.toml", "uv.lock", "Pipfile", "Pipfile.lock",
		"environment.yml", "requirements.txt", "sbom.spdx", "sbom.json", "bom.xml", "models.txt", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "deno.lock",
		"pylock.toml", "setup.cfg", "litellm_config.yaml", "promptfooconfig.yaml", ".env", "Dockerfile", "notebook.ipynb", "spec.txt", "conda.yaml"}
	for _, name := range archives {
		a := suite.Must(txtar.ParseFile(name))(f)
		for i, n := range names {
			if n == a.Files[0].Name {
				f.Add(i, a.Files[0].Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		dir := unpack(t, []txtar.File{{Name: names[uint(i)%uint(len(names))], Data: data}})
		var r Reader
		start := time.Now()
		r.Read(filepath.Join(dir, names[uint(i)%uint(len(names))]))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		in := Reader{Stdin: strings.NewReader(string(data))}
		in.Read("-")
		for _, e := range r.Entries {
			if strings.Contains(strings.Join(e.IDs, " ")+e.Name+e.Note+e.Version, "://user:secret@") {
				t.Errorf("credentials are in %+v", e)
			}
			if e.Line < 0 || e.Line > 1+strings.Count(string(data), "\n") || e.Name == "" && len(e.IDs) > 0 || filepath.Dir(filepath.FromSlash(e.File)) != dir {
				t.Errorf("%+v", e)
			}
		}
	})
}
