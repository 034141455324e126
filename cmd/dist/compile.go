package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// minisearch is the search library of static sites. It is not in the repository, and the
// program compiles without it, but a release must be complete.
const minisearch = "site/pages/npm/minisearch.js"

// compile compiles the program for a platform, as a static program without paths of this
// machine.
func (r *release) compile(ctx context.Context, t target, to string) error {
	if _, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(minisearch))); err != nil {
		return fmt.Errorf("the search library of static sites is missing; run: make %s: %w", minisearch, err)
	}
	r.step(filepath.Base(to))
	set := strings.Join([]string{"-s -w", "-X main.release=" + r.version, "-X main.commit=" + r.commit,
		"-X main.commitTime=" + r.date().Format(time.RFC3339)}, " ")
	// The baseline of each architecture, whatever the settings of this machine are.
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0"}
	// The commit is set above: go build does not find it in a linked working tree.
	_, err := output(ctx, r.root, env, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", set, "-o", to, "./cmd/kindex")
	return err
}

// sharedFiles writes the files that every archive and package contains in addition to the
// program: manual pages and completions, which the program itself prints, and documents.
func (r *release) sharedFiles(ctx context.Context) ([]file, error) {
	r.step("manual pages and completions")
	host := target{runtime.GOOS, runtime.GOARCH}
	program := r.asset(host.program())
	if !slices.Contains(r.targets(), host) {
		program = filepath.Join(r.stage, host.program())
		if err := r.compile(ctx, host, program); err != nil {
			return nil, err
		}
	}
	files := []file{
		{"LICENSE", filepath.Join(r.root, "LICENSE"), 0o644, "share/doc/kindex/LICENSE"},
		{"README.md", filepath.Join(r.root, "README.md"), 0o644, "share/doc/kindex/README.md"},
		{"CHANGELOG.md", filepath.Join(r.root, "CHANGELOG.md"), 0o644, "share/doc/kindex/CHANGELOG.md"},
		{"examples/kindex.service", filepath.Join(r.root, "site", "docs", "systemd", "kindex.service"), 0o644, "share/doc/kindex/examples/kindex.service"},
	}
	shells, err := r.completions(ctx, program)
	if err != nil {
		return nil, err
	}
	pages, err := r.manualPages(ctx, program)
	return append(append(files, shells...), pages...), err
}

// completions writes the completion scripts under the names that the shells look for.
func (r *release) completions(ctx context.Context, program string) (files []file, err error) {
	for _, c := range []struct{ shell, name, dest string }{
		{"bash", "kindex", "share/bash-completion/completions/kindex"},
		{"zsh", "_kindex", "share/zsh/site-functions/_kindex"},
		{"fish", "kindex.fish", "share/fish/vendor_completions.d/kindex.fish"},
		{"powershell", "kindex.ps1", ""},
	} {
		text, err := output(ctx, r.root, nil, program, "completion", c.shell)
		if err != nil {
			return nil, err
		}
		from := filepath.Join(r.stage, "completions", c.shell)
		if err := writeFile(from, []byte(text+"\n"), 0o644); err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + c.shell + "/" + c.name, from, 0o644, c.dest})
	}
	return files, nil
}

func (r *release) manualPages(ctx context.Context, program string) (files []file, err error) {
	dir := filepath.Join(r.stage, "man")
	if _, err := output(ctx, r.root, []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.epoch, 10)}, program, "man", dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		files = append(files, file{"man/man1/" + e.Name(), filepath.Join(dir, e.Name()), 0o644, "share/man/man1/" + e.Name()})
	}
	return files, err
}

// writeFile writes a file, and creates its folder.
func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}
