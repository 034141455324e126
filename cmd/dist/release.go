package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// release is one run: what goes into a release, and where its files are.
type release struct {
	version string    // the tag, such as v1.2.3
	root    string    // the repository
	out     string    // the folder to write
	url     string    // the address of the folder that will have the files; may be empty
	targets []target  // the platforms
	commit  string    // 40 hexadecimal digits
	date    time.Time // of all files
	stage   string    // a temporary folder
	log     io.Writer
}

// target is a platform.
type target struct{ os, arch string }

// program is the name of the program as an asset. .github/actions/validate downloads it by
// this name.
func (t target) program() string {
	if t.os == "windows" {
		return "kindex-" + t.os + "-" + t.arch + ".exe"
	}
	return "kindex-" + t.os + "-" + t.arch
}

// base is the name of an archive or package for a platform, without its ending.
func (r *release) base(t target) string { return "kindex-" + r.version + "-" + t.os + "-" + t.arch }

func (r *release) asset(name string) string { return filepath.Join(r.stage, "assets", name) }

// file is a file of an archive, a package or an image.
type file struct {
	path  string // in archives, with slashes; folders end with one
	dest  string // where packages put it, below /usr; "" if they leave it out
	data  []byte
	mode  int64
	owner int
}

func (r *release) write(ctx context.Context) error {
	for _, t := range r.targets {
		if err := errors.Join(r.compile(ctx, t, r.asset(t.program())), r.describe(ctx, t)); err != nil {
			return err
		}
	}
	shared, err := r.shared(ctx)
	if err != nil {
		return err
	}
	for _, t := range r.targets {
		program, err := os.ReadFile(r.asset(t.program()))
		if err != nil {
			return err
		}
		files := append([]file{{path: "kindex" + filepath.Ext(t.program()), dest: "bin/kindex", data: program, mode: 0o755}}, shared...)
		if err := r.create(r.base(t)+".tar.gz", compress(writeTar(r.base(t)+"/", files, r.date)), 0o644); err != nil {
			return err
		}
		if t.os == "linux" {
			err = r.packages(ctx, t, files)
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(r.image(), r.installScript()); err != nil {
		return err
	}
	sums, err := sumsOf(r.asset(""))
	if err != nil {
		return err
	}
	return r.create(sumsFile, sums, 0o644)
}

func (r *release) create(name string, data []byte, mode os.FileMode) error {
	fmt.Fprintln(r.log, "writing", name)
	return writeFile(r.asset(name), data, mode)
}

func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}

// minisearch is the search library of static sites. It is not in the repository, and the
// program compiles without it, but a release must be complete.
const minisearch = "site/pages/npm/minisearch.js"

// compile compiles the program for a platform, as a static program without paths of this
// machine.
func (r *release) compile(ctx context.Context, t target, to string) error {
	if _, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(minisearch))); err != nil {
		return fmt.Errorf("the search library of static sites is missing; run: make %s: %w", minisearch, err)
	}
	fmt.Fprintln(r.log, "writing", filepath.Base(to))
	set := "-s -w -X main.release=" + r.version + " -X main.commit=" + r.commit + " -X main.commitTime=" + r.date.Format(time.RFC3339)
	// The baseline of each architecture, whatever the settings of this machine are.
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0"}
	// The commit is set above: go build does not find it in a linked working tree.
	_, err := r.output(ctx, env, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", set, "-o", to, "./cmd/kindex")
	return err
}

// tool runs a developer tool at the version pinned in .tools.mod.
func (r *release) tool(ctx context.Context, name string, args ...string) (string, error) {
	return r.output(ctx, []string{"GOFLAGS=", "GOWORK=off"}, "go", append([]string{"tool", "-modfile=.tools.mod", name}, args...)...)
}

// describe writes the bill of materials of a program: the modules that are compiled into it,
// in the form of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
func (r *release) describe(ctx context.Context, t target) error {
	text, err := r.tool(ctx, "cyclonedx-gomod", "bin", "-json", "-licenses", "-assert-licenses", "-std", "-noserial", "-notimestamp",
		"-version", r.version, r.asset(t.program()))
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	if err := cdx.NewBOMDecoder(strings.NewReader(text), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		return err
	}
	bom.Metadata.Timestamp = r.date.Format(time.RFC3339)
	bom.Metadata.Component.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	if tools := bom.Metadata.Tools; tools != nil && tools.Tools != nil {
		for i := range *tools.Tools {
			(*tools.Tools)[i].Hashes = nil // they differ from machine to machine; the version is pinned
		}
	}
	var b bytes.Buffer
	if err := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return err
	}
	return r.create(t.program()+".cdx.json", b.Bytes(), 0o644)
}

// shared returns the files that every archive and package contains in addition to the program:
// documents, and the completions and manual pages that the program itself prints.
func (r *release) shared(ctx context.Context) (files []file, err error) {
	program := filepath.Join(r.stage, "kindex")
	if err := r.compile(ctx, target{runtime.GOOS, runtime.GOARCH}, program); err != nil {
		return nil, err
	}
	for _, f := range []struct{ path, from, dest string }{
		{"LICENSE", "LICENSE", "share/doc/kindex/LICENSE"},
		{"README.md", "README.md", "share/doc/kindex/README.md"},
		{"CHANGELOG.md", "CHANGELOG.md", "share/doc/kindex/CHANGELOG.md"},
		{"examples/kindex.service", "site/docs/systemd/kindex.service", "share/doc/kindex/examples/kindex.service"},
	} {
		data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(f.from)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: f.path, dest: f.dest, data: data, mode: 0o644})
	}
	for _, c := range []struct{ shell, name, dest string }{ // the names that the shells look for
		{"bash", "kindex", "share/bash-completion/completions/kindex"},
		{"zsh", "_kindex", "share/zsh/site-functions/_kindex"},
		{"fish", "kindex.fish", "share/fish/vendor_completions.d/kindex.fish"},
		{"powershell", "kindex.ps1", ""},
	} {
		text, err := r.output(ctx, nil, program, "completion", c.shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: "completions/" + c.shell + "/" + c.name, dest: c.dest, data: []byte(text + "\n"), mode: 0o644})
	}
	pages := filepath.Join(r.stage, "man")
	if _, err := r.output(ctx, []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.date.Unix(), 10)}, program, "man", pages); err != nil {
		return nil, err
	}
	more, err := filesIn(pages)
	for _, f := range more {
		files = append(files, file{path: "man/man1/" + f.path, dest: "share/man/man1/" + f.path, data: f.data, mode: 0o644})
	}
	return files, err
}

// filesIn returns the files of a folder and its subfolders, sorted by name.
func filesIn(dir string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files = append(files, file{path: filepath.ToSlash(name), data: data, mode: 0o644})
		return err
	})
	return files, err
}

// writeTar returns an archive of files in the given order, all with the same date.
func writeTar(folder string, files []file, date time.Time) []byte {
	var b bytes.Buffer // writes to it never fail, and the headers are valid
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + f.path, Size: int64(len(f.data)), Mode: f.mode, Uid: f.owner, Gid: f.owner, ModTime: date, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.path, "/") {
			h.Typeflag = tar.TypeDir
		}
		_ = w.WriteHeader(h)
		_, _ = w.Write(f.data)
	}
	_ = w.Close()
	return b.Bytes()
}

func compress(data []byte) []byte {
	var b bytes.Buffer // writes to it never fail
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

//go:embed nfpm.json
var nfpmConfig []byte

// packages writes the packages for Debian and for RPM. They contain no scripts: installing
// them starts nothing.
func (r *release) packages(ctx context.Context, t target, files []file) error {
	var config map[string]any // see https://nfpm.goreleaser.com/docs/configuration/
	if err := json.Unmarshal(nfpmConfig, &config); err != nil {
		return err
	}
	var contents []any
	dir := filepath.Join(r.stage, r.base(t))
	for _, f := range files {
		if f.dest == "" {
			continue
		}
		if strings.HasPrefix(f.dest, "share/man/") {
			f.dest, f.data = f.dest+".gz", compress(f.data)
		}
		from := filepath.Join(dir, filepath.FromSlash(f.dest))
		if err := writeFile(from, f.data, 0o644); err != nil {
			return err
		}
		contents = append(contents, map[string]any{"src": from, "dst": "/usr/" + f.dest,
			"file_info": map[string]any{"mode": f.mode, "mtime": r.date, "owner": "root", "group": "root"}})
	}
	config["version"], config["arch"], config["mtime"], config["contents"] = r.version, t.arch, r.date, contents
	text, err := json.Marshal(config) // YAML contains JSON
	if err != nil {
		return err
	}
	path := dir + ".nfpm.yaml"
	if err := writeFile(path, text, 0o644); err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		name := r.base(t) + "." + format
		fmt.Fprintln(r.log, "writing", name)
		if _, err := r.tool(ctx, "nfpm", "package", "--config", path, "--packager", format, "--target", r.asset(name)); err != nil {
			return err
		}
	}
	return nil
}
