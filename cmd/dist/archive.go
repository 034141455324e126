package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// archive writes the archive of a platform, with everything in one folder: zip for Windows,
// which has no tar in older versions, and tar.gz elsewhere.
func (r *release) archive(t target, shared []file) error {
	program := file{"kindex", r.asset(t.program()), 0o755, ""}
	name, write := r.base(t)+".tar.gz", writeTarGz
	if t.os == "windows" {
		program.path = "kindex.exe"
		name, write = r.base(t)+".zip", writeZip
	}
	r.step(name)
	return create(r.asset(name), func(w io.Writer) error {
		return write(w, r.base(t)+"/", append([]file{program}, shared...), r.date())
	})
}

// create writes a file.
func create(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeTarGz writes files in the given order, all with the same date, and owned by root.
func writeTarGz(w io.Writer, folder string, files []file, date time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		if err := addToTar(t, folder+f.path, f.from, f.mode, date); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func addToTar(t *tar.Writer, name, from string, mode int64, date time.Time) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: mode, ModTime: date, Format: tar.FormatUSTAR}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = t.Write(data)
	return err
}

func writeZip(w io.Writer, folder string, files []file, date time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: folder + f.path, Method: zip.Deflate, Modified: date}
		h.SetMode(os.FileMode(f.mode))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeTree writes a folder as a tar archive, sorted by name.
func writeTree(w io.Writer, dir string, date time.Time) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: filepath.ToSlash(name) + "/", Mode: 0o755, ModTime: date, Format: tar.FormatUSTAR})
		}
		return addToTar(t, filepath.ToSlash(name), path, 0o644, date)
	})
	return errors.Join(err, t.Close())
}
