package gitlog

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// shell runs a script in a folder, with a fixed clock and fixed settings.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org")
	return strings.TrimSpace(suite.Output(t, cmd))
}

func locationOf(t *testing.T, dir string) *Location {
	t.Helper()
	p := suite.Must(FindLocation(context.Background(), dir))(t)
	t.Cleanup(func() { p.Close() })
	return p
}

// listing formats a folder as lines, which contain names and sizes, and mark links and
// folders.
func listing(t *testing.T, dir string) string {
	t.Helper()
	return shell(t, dir, `find . -mindepth 1 -printf '%P %y %s\n' | sed 's/ d .*/ d/; s/ l .*/ l/' | LC_ALL=C sort`)
}

// TestWriteTree checks that the content of a commit, whatever file names it contains, is
// written as the loader would find it in the working tree, and that nothing else is written.
func TestWriteTree(t *testing.T) {
	repo := t.TempDir()
	shell(t, repo, `git init -q -b main
mkdir -p sub/content/tool/deep/deeper sub/content/other sub/content/module && cd sub/content
printf 'name: A\r\n' > tool/a.yaml; printf '\0\xff' > tool/b.yaml; : > tool/empty.yaml; echo readme > tool/README
echo x > tool/deep/x.yaml; echo x > tool/deep/deeper/y.yaml; echo big > big.bin; echo t > index.yaml; echo o > other/o.yaml
printf 'ü' > 'tool/ü "x	y.yaml'; ln -s /etc/passwd tool/link.yaml; ln -s tool linked
git init -q module && (cd module && git commit -q --allow-empty -m m)
echo '*.yaml export-ignore' > .gitattributes
cd ../.. && git add . 2> /dev/null && git commit -qm 1 && git rm -rq --cached sub && rm -r sub && echo none > file && git add file && git commit -qm 2`)
	p := locationOf(t, filepath.Join(repo, "sub", "content"))
	first := suite.Must(p.Commit(context.Background(), "HEAD~1"))(t)
	into := t.TempDir()
	if there, err := p.WriteTree(context.Background(), first, into); !there || err != nil {
		t.Fatal(there, err)
	}
	want := strings.Join([]string{".gitattributes f 0", "big.bin f 0", "index.yaml f 2", "linked l", "module d", "other d", "other/o.yaml f 2",
		"tool d", "tool/README f 0", "tool/a.yaml f 9", "tool/b.yaml f 2", "tool/deep d", "tool/empty.yaml f 0", "tool/link.yaml l",
		"tool/ü \"x\ty.yaml f 2"}, "\n")
	suite.Equal(t, listing(t, into), want)
	if data, err := os.ReadFile(filepath.Join(into, "tool", "a.yaml")); err != nil || string(data) != "name: A\r\n" {
		t.Errorf("%q %v", data, err)
	}
	if target, err := os.Readlink(filepath.Join(into, "tool", "link.yaml")); err != nil || target != "nowhere" {
		t.Errorf("%q %v", target, err)
	}
	second := suite.Must(p.Commit(context.Background(), "main"))(t)
	// Try a missing folder, and a file in place of the folder.
	for _, dir := range []string{filepath.Join(repo, "sub", "content"), filepath.Join(repo, "file", "x"), filepath.Join(repo, "file")} {
		if there, err := locationOf(t, dir).WriteTree(context.Background(), second, t.TempDir()); there || err != nil {
			t.Errorf("%s: %v %v", dir, there, err)
		}
	}
	// The content can be the whole repository.
	into = t.TempDir()
	if there, err := locationOf(t, repo).WriteTree(context.Background(), second, into); !there || err != nil || listing(t, into) != "file f 0" {
		t.Errorf("%v %v", there, err)
	}
}

// TestForgedTree writes commits that git itself would not create, and checks that nothing is
// written outside the folder.
func TestForgedTree(t *testing.T) {
	suite.InTest(t)
	for name, script := range map[string]string{
		"slash":   `printf '100644 /x.yaml\0' && raw "$blob"`,
		"up":      `printf '40000 ..\0' && raw "$inner"`,
		"slashes": `printf '100644 ../x.yaml\0' && raw "$blob"`,
		"twice":   `printf '120000 tool\0' && raw "$link" && printf '40000 tool\0' && raw "$inner"`,
	} {
		outer := t.TempDir()
		repo := filepath.Join(outer, "repo")
		suite.Check(t, os.Mkdir(repo, 0o777))
		shell(t, repo, `git init -q -b main
raw() { printf "$(sed 's/../\\x&/g' <<< "$1")"; }
blob=$(echo evil | git hash-object -w --stdin); link=$(printf '..' | git hash-object -w --stdin)
inner=$( { printf '100644 x.yaml\0' && raw "$blob"; } | git hash-object -w -t tree --literally --stdin)
tree=$( { `+script+`; } 2> /dev/null | git hash-object -w -t tree --literally --stdin)
git update-ref refs/heads/main "$(git commit-tree -m forged "$tree")"`)
		p := locationOf(t, repo)
		commit, err := p.Commit(context.Background(), "main")
		if err != nil {
			t.Fatal(name, err)
		}
		into := filepath.Join(outer, "a", "b")
		suite.Check(t, os.MkdirAll(into, 0o777))
		if there, err := p.WriteTree(context.Background(), commit, into); err == nil || name != "twice" && !strings.Contains(err.Error(), "with the invalid name") {
			t.Errorf("%s: %v %v\n%s", name, there, err, listing(t, into))
		}
		for _, dir := range []string{outer, filepath.Join(outer, "a")} {
			if found, err := filepath.Glob(filepath.Join(dir, "*.yaml")); err != nil || len(found) > 0 {
				t.Errorf("%s: %v %v", name, found, err)
			}
		}
	}
}
