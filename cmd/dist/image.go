package main

import (
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// uid is the user and group of the service in the container, which has no name elsewhere.
const uid = 65532

// image writes the container image of all Linux programs as a tar archive of an OCI layout
// (https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md).
func (r *release) image() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		image, err := r.platformImage(t)
		if err != nil {
			return err
		}
		platform := &v1.Platform{OS: t.os, Architecture: t.arch}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	dir := filepath.Join(r.stage, "image")
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := l.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})); err != nil {
		return err
	}
	files, err := filesIn(dir)
	return errors.Join(err, r.create("kindex-"+r.version+"-image.tar", writeTar("", files, r.date), 0o644))
}

// platformImage returns the image of one platform. It has one layer and no base image.
func (r *release) platformImage(t target) (v1.Image, error) {
	files, err := r.rootFiles(t)
	if err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil }
	layer, err := tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "make dist"}})
	if err != nil {
		return nil, err
	}
	c, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = t.os, t.arch, v1.Time{Time: r.date}
	c.Config = v1.Config{
		User: "65532:65532", WorkingDir: "/data", StopSignal: "SIGTERM",
		Entrypoint: []string{"/usr/bin/kindex"}, Cmd: []string{"serve"},
		Env:          []string{"PATH=/usr/bin", "HOME=/data", "KINDEX_DIR=/data", "KINDEX_ADDR=:8080"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title": "kindex", "org.opencontainers.image.version": r.version,
			"org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, c)
}

// rootFiles returns the file system of the container as a tar archive. The certificates are those
// that Mozilla trusts, from a module whose version go.mod pins, so that the image does not depend
// on the machine that makes it. Roots that are trusted only under conditions are left out, because a
// file of certificates cannot state the conditions.
func (r *release) rootFiles(t target) ([]byte, error) {
	program, err1 := os.ReadFile(r.asset(t.program()))
	license, err2 := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // writes to a buffer never fail
		}
	}
	const users = "root:x:0:0:root:/root:/sbin/nologin\nkindex:x:65532:65532:kindex:/data:/sbin/nologin\n"
	return writeTar("", []file{
		{path: "data/", mode: 0o750, owner: uid},
		{path: "etc/group", data: []byte("root:x:0:\nkindex:x:65532:\n"), mode: 0o644},
		{path: "etc/passwd", data: []byte(users), mode: 0o644},
		{path: "etc/ssl/certs/ca-certificates.crt", data: roots.Bytes(), mode: 0o644},
		{path: "tmp/", mode: 0o1777},
		{path: "usr/bin/kindex", data: program, mode: 0o755},
		{path: "usr/share/doc/kindex/LICENSE", data: license, mode: 0o644},
	}, r.date), errors.Join(err1, err2)
}
