package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nfpmConfig is the part of nfpm's configuration that the packages need; see
// https://nfpm.goreleaser.com/docs/configuration/.
type nfpmConfig struct {
	Name        string         `json:"name"`
	Version     string         `json:"version"`
	Arch        string         `json:"arch"`
	Platform    string         `json:"platform"`
	Section     string         `json:"section"`
	Priority    string         `json:"priority"`
	Maintainer  string         `json:"maintainer"`
	Description string         `json:"description"`
	License     string         `json:"license"`
	MTime       time.Time      `json:"mtime"`
	Recommends  []string       `json:"recommends"`
	Contents    []nfpmContent  `json:"contents"`
	RPM         map[string]any `json:"rpm"`
}

type nfpmContent struct {
	Src      string       `json:"src"`
	Dst      string       `json:"dst"`
	Type     string       `json:"type,omitempty"`
	FileInfo nfpmFileInfo `json:"file_info"`
}

type nfpmFileInfo struct {
	Mode  int64     `json:"mode"`
	MTime time.Time `json:"mtime"`
	Owner string    `json:"owner"`
	Group string    `json:"group"`
}

// packages writes the packages for Debian and for RPM. They contain no scripts: installing
// them starts nothing.
func (r *release) packages(ctx context.Context, t target, shared []file) error {
	program := file{"", r.asset(t.program()), 0o755, "bin/kindex"}
	c := nfpmConfig{Name: "kindex", Version: r.version, Arch: t.arch, Platform: "linux", Section: "web", Priority: "optional",
		Maintainer: "The kindex contributors", License: "Apache-2.0", MTime: r.date(), Recommends: []string{"git", "ca-certificates"},
		Description: "Verifiable catalogue of AI tools and models\nBuilds a folder of YAML files into exports, leaderboards and a search index,\nand serves them over HTTP.",
		RPM:         map[string]any{"group": "Applications/Internet", "summary": "Verifiable catalogue of AI tools and models", "buildhost": "localhost"}}
	for _, f := range append([]file{program}, shared...) {
		if f.dest == "" {
			continue
		}
		from, to, err := r.compressManual(f)
		if err != nil {
			return err
		}
		content := nfpmContent{Src: from, Dst: "/usr/" + to, FileInfo: nfpmFileInfo{f.mode, r.date(), "root", "root"}}
		c.Contents = append(c.Contents, content)
	}
	config, err := json.Marshal(c) // YAML contains JSON
	if err != nil {
		return err
	}
	path := filepath.Join(r.stage, r.base(t)+".nfpm.yaml")
	if err := writeFile(path, config, 0o644); err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		name := r.base(t) + "." + format
		r.step(name)
		if _, err := r.tool(ctx, "nfpm", "package", "--config", path, "--packager", format, "--target", r.asset(name)); err != nil {
			return err
		}
	}
	return nil
}

// compressManual compresses a manual page, as distributions do, and returns where it is and
// where it goes. Other files stay as they are.
func (r *release) compressManual(f file) (from, dest string, err error) {
	if !strings.HasPrefix(f.dest, "share/man/") {
		return f.from, f.dest, nil
	}
	data, err := os.ReadFile(f.from)
	if err != nil {
		return "", "", err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return "", "", err
	}
	if _, err := z.Write(data); err != nil {
		return "", "", err
	}
	if err := z.Close(); err != nil {
		return "", "", err
	}
	from = f.from + ".gz"
	return from, f.dest + ".gz", os.WriteFile(from, packed.Bytes(), 0o644)
}

// tool runs a developer tool at the version pinned in .tools.mod.
func (r *release) tool(ctx context.Context, name string, args ...string) (string, error) {
	return output(ctx, r.root, []string{"GOFLAGS=", "GOWORK=off"}, "go", append([]string{"tool", "-modfile=.tools.mod", name}, args...)...)
}
