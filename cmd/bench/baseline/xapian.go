package baseline

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

//go:embed xapian_server.py
var xapianProgram string

// Xapian is a Xapian database with the documents, compacted, searched by a Python program in
// another process. Its times are those of the calls of the library, without the pipe.
type Xapian struct {
	// Took is the time that the last query took.
	Took time.Duration

	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// ErrNoXapian means that Python or its bindings for Xapian are not installed.
var ErrNoXapian = errors.New("the Python bindings of Xapian are not installed")

// NewXapian creates the database in a new folder.
func NewXapian(ctx context.Context, dir string, docs Documents) (*Xapian, error) {
	// Distributions package the bindings for their own Python, which may not be the first in PATH.
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if python == "" && exec.CommandContext(ctx, p, "-c", "import xapian").Run() == nil {
			python = p
		}
	}
	if python == "" {
		return nil, ErrNoXapian
	}
	x := &Xapian{cmd: exec.CommandContext(ctx, python, "-c", xapianProgram, dir)}
	x.cmd.Stderr = os.Stderr
	var err error
	if x.in, err = x.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := x.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	x.out = json.NewDecoder(bufio.NewReader(out))
	if err := x.cmd.Start(); err != nil {
		return nil, err
	}
	if err := x.fill(docs); err != nil {
		return nil, errors.Join(fmt.Errorf("build the Xapian database: %w", err), x.Close())
	}
	return x, nil
}

func (x *Xapian) fill(docs Documents) error {
	w := bufio.NewWriter(x.in)
	enc := json.NewEncoder(w)
	if err := docs.each(func(_ int, d *Document) error {
		return enc.Encode(map[string]any{"texts": d.texts(), "category": d.Category, "license": d.License, "record": string(d.Record)})
	}); err != nil {
		return err
	}
	_ = w.WriteByte('\n') // Flush returns the error
	if err := w.Flush(); err != nil {
		return err
	}
	return x.out.Decode(&struct{}{})
}

// Close ends the program.
func (x *Xapian) Close() error { return errors.Join(x.in.Close(), x.cmd.Wait()) }

// All finds the top 20 documents that contain all of the words.
func (x *Xapian) All(dst []byte, words ...string) ([]byte, int, error) {
	return x.ask(dst, "all", words)
}

// Prefix finds the top 20 documents that contain a word with the given prefix.
func (x *Xapian) Prefix(dst []byte, begin string) ([]byte, int, error) {
	return x.ask(dst, "prefix", []string{begin})
}

// Fuzzy finds the top 20 documents with the word that the spelling dictionary suggests, within
// the edit distance that kindex allows.
func (x *Xapian) Fuzzy(dst []byte, word string) ([]byte, int, error) {
	return x.ask(dst, "fuzzy", []string{word})
}

// Faceted works like All with a single word, but also appends the most frequent categories and
// licences. Xapian cannot count a field with several values, such as tags.
func (x *Xapian) Faceted(dst []byte, word string) ([]byte, int, error) {
	return x.ask(dst, "facets", []string{word})
}

func (x *Xapian) ask(dst []byte, kind string, words []string) ([]byte, int, error) {
	if err := json.NewEncoder(x.in).Encode(map[string]any{"kind": kind, "words": words}); err != nil {
		return dst, 0, err
	}
	var answer struct {
		Took    time.Duration
		N       int
		Records string
	}
	if err := x.out.Decode(&answer); err != nil {
		return dst, 0, err
	}
	x.Took = answer.Took
	return append(dst, answer.Records...), answer.N, nil
}
