package sdk_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"kindex/builder/suite"
	"kindex/edge/openapi"
	"kindex/site/sdk"
)

// packed is the modification time of every file in an archive. npm uses the same time, because
// some programs cannot handle earlier times.
var packed = time.Date(1985, time.October, 26, 8, 15, 0, 0, time.UTC)

// described returns the version of the description, which is also that of the libraries.
func described(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^  version: (\S+)$`).FindSubmatch(openapi.YAML)
	if m == nil {
		t.Fatal("the description has no version")
	}
	return string(m[1])
}

// packedFrom has the hash of the sources from which -update packed the archives, by language.
const packedFrom = "testdata/sources.json"

// TestArchives packs the sources and compares the result with the archives of their
// version, file by file. It does not compare the bytes of the archives, because a different
// version of the compressor may produce different bytes, and published archives never change.
//
// Compiling takes longer than all programs that use the clients, so make test repeats it only if
// the sources are not those that were packed.
func TestArchives(t *testing.T) {
	suite.InTest(t)
	version, unchanged := described(t), map[string]string{}
	if !suite.Updating() {
		t.Parallel() // otherwise TestSums needs the updated archives
		suite.Check(t, json.Unmarshal([]byte(read(t, packedFrom)), &unchanged))
	}
	hashes := map[string]string{}
	for _, c := range []struct {
		language, file, prefix string
		files                  func(*testing.T) fs.FS
		sources                []string
	}{
		{sdk.TypeScript, version + ".tgz", "package", typescript, []string{"typescript", "../package-lock.json"}},
		{sdk.Python, "kindex-" + version + ".tar.gz", "kindex-" + version, python, []string{"python", "generate"}},
	} {
		hashes[c.language] = sourceHash(t, append(c.sources, "../../edge/openapi/openapi.yaml", "../../LICENSE")...)
		t.Run(c.language, func(t *testing.T) {
			if _, ok := sdk.Find(c.language, c.file); ok && hashes[c.language] == unchanged[c.language] && !suite.Soaking() {
				return
			}
			now := pack(t, c.files(t), c.prefix)
			name := filepath.Join("archives", c.language, c.file)
			if suite.Updating() {
				write(t, name, string(compress(t, now)))
				return
			}
			a, ok := sdk.Find(c.language, c.file)
			if !ok {
				t.Fatalf("%s is missing. Increase the version in the sources to that of the description, then: go test ./site/sdk -update", name)
			}
			if was := unzip(t, a.Data); !bytes.Equal(was, now) {
				t.Errorf("the sources do not match the archive %s:\n%s\nIncrease the version; or, if %s was never published: go test ./site/sdk -update",
					name, strings.Join(differences(t, was, now), "\n"), version)
			}
		})
	}
	if suite.Updating() {
		list := suite.Must(json.MarshalIndent(hashes, "", "\t"))(t)
		write(t, packedFrom, string(list)+"\n")
	}
}

// sourceHash returns a hash of files and of what is in folders, except what git ignores.
func sourceHash(t *testing.T, names ...string) string {
	t.Helper()
	list := suite.Output(t, exec.Command("git", append([]string{"ls-files", "--cached", "--others", "--exclude-standard", "--"}, names...)...))
	h := sha256.New()
	for _, name := range strings.Fields(list) {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it was removed
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestSums compares the archives with the list of their hashes, to detect changes.
func TestSums(t *testing.T) {
	name := filepath.Join("archives", "SHA256SUMS")
	now := sums(t)
	if suite.Updating() {
		write(t, name, now)
		return
	}
	if want := read(t, name); want != now {
		t.Errorf("the archives do not match %s:\n%s\nPublished archives never change. For a new version: go test ./site/sdk -update", name, now)
	}
}

// python builds the package.
func python(t *testing.T) fs.FS {
	t.Helper()
	return os.DirFS(pythonPackage(t))
}

// pythonPackage builds the Python package in a folder, and returns the folder.
func pythonPackage(t *testing.T) string {
	t.Helper()
	description, dir := filepath.Join(t.TempDir(), "openapi.json"), t.TempDir()
	inJSON := suite.Must(openapi.JSON(openapi.YAML))(t)
	write(t, description, string(inJSON))
	suite.Output(t, exec.Command(needPython(t), "-B", "generate", description, dir)) // needs Python 3.11 or newer
	return dir
}

// typescript builds the package.
func typescript(t *testing.T) fs.FS {
	t.Helper()
	suite.NodeModules(t, "openapi-typescript", "typescript")
	dir := t.TempDir()
	suite.Output(t, exec.Command("node", "typescript/build.mjs", dir))
	return os.DirFS(dir)
}

// unwanted matches files that tools leave behind.
var unwanted = regexp.MustCompile(`(^|/)(__pycache__|node_modules|\.[^/]*)(/|$)|\.pyc$`)

// pack creates a reproducible tar archive of files.
func pack(t *testing.T, from fs.FS, prefix string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || unwanted.MatchString(name) {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: path.Join(prefix, name), Size: int64(len(data)), Mode: 0o644, ModTime: packed, Format: tar.FormatUSTAR})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compress(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
		err = errors.Join(err, w.Close())
	}
	suite.Check(t, err)
	return b.Bytes()
}

func unzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r := suite.Must(gzip.NewReader(bytes.NewReader(data)))(t)
	return suite.Must(io.ReadAll(r))(t)
}

// differences returns the names of the files that differ between two tar archives.
func differences(t *testing.T, was, now []byte) (list []string) {
	t.Helper()
	before, after := contents(t, was), contents(t, now)
	for name := range before {
		if after[name] != before[name] {
			list = append(list, name)
		}
	}
	for name := range after {
		if before[name] == "" {
			list = append(list, name+", which is new")
		}
	}
	return list
}

// contents returns the mode, the time and the text of each file in a tar archive.
func contents(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	files := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		suite.Check(t, err)
		files[h.Name] = fmt.Sprint(h.Mode, h.ModTime, string(suite.Must(io.ReadAll(r))(t)))
	}
}

// sums returns the hashes of the archives in the format of sha256sum.
func sums(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, language := range []string{sdk.Python, sdk.TypeScript} {
		entries := suite.Must(os.ReadDir(filepath.Join("archives", language)))(t)
		for _, e := range entries {
			name := path.Join(language, e.Name())
			fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256([]byte(read(t, filepath.Join("archives", name)))), name)
		}
	}
	return b.String()
}
