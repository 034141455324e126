package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// release is one run: what goes into a release, and where its files are.
type release struct {
	source
	options
	stage  string // the folder for files that become part of an asset
	assets string // the folder of the assets
	log    io.Writer
}

// target is a platform.
type target struct{ os, arch string }

func (o *options) targets() (all []target) {
	for _, p := range o.platforms {
		name, arch, _ := strings.Cut(p, "/")
		all = append(all, target{name, arch})
	}
	return all
}

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

func (r *release) asset(name string) string { return filepath.Join(r.assets, name) }

// write writes all assets.
func (r *release) write(ctx context.Context) error {
	for _, dir := range []string{r.stage, r.assets} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for _, t := range r.targets() {
		if err := r.compile(ctx, t, r.asset(t.program())); err != nil {
			return err
		}
		if err := r.describe(ctx, t); err != nil {
			return err
		}
	}
	files, err := r.sharedFiles(ctx)
	if err != nil {
		return err
	}
	for _, t := range r.targets() {
		if err := r.archive(t, files); err != nil {
			return err
		}
		if t.os != "linux" {
			continue
		}
		if err := r.packages(ctx, t, files); err != nil {
			return err
		}
	}
	if err := r.image(); err != nil {
		return err
	}
	if err := r.installScript(); err != nil {
		return err
	}
	r.step(sumsFile)
	sums, err := sumsOf(r.assets)
	if err != nil {
		return err
	}
	return os.WriteFile(r.asset(sumsFile), sums, 0o644)
}

// step prints what is written next.
func (r *release) step(name string) { fmt.Fprintln(r.log, "writing", name) }

// file is a file of an archive or package.
type file struct {
	path string // in archives, with slashes
	from string // where it is on this machine
	mode int64
	dest string // where packages and the install script put it; "" if they leave it out
}

// date returns the time of all files in the release, with the second as its precision.
func (s *source) date() time.Time { return time.Unix(s.epoch, 0).UTC() }
