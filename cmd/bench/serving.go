package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"path/filepath"

	"github.com/prometheus/procfs"
)

const (
	firstStarts  = 3     // how often the program is started to measure its first search
	firstSearch  = 10.0  // target in milliseconds
	servedMemory = 250.0 // target in MiB
)

// serve starts the program on the measured build, without limits and with a state of its own.
func (b *bench) serve(ctx context.Context, root, name string) (*process, error) {
	return start(ctx, exec.CommandContext(ctx, b.kindex, "serve", "--dir", root, "--addr", "127.0.0.1:0", "--admin", "",
		"--state", filepath.Join(b.tmp, name+".db"), "--limit-anonymous", "0"))
}

// measureFirst measures the first request after a start. It is a search for a misspelled word,
// which needs more preparation than any other request.
func (b *bench) measureFirst(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(b.seed, 31))
	var took durations
	for range firstStarts {
		word := b.words.typo(rng)
		if b.words.err != nil {
			return b.words.err
		}
		p, err := b.serve(ctx, b.root, "first")
		if err != nil {
			return err
		}
		first, err := p.firstByte(ctx, "/api/search?q="+url.QueryEscape(word[0]))
		if err := errors.Join(err, p.stop()); err != nil {
			return err
		}
		took = append(took, first)
	}
	return b.add(row{Part: "http", Name: "first misspelled search", Value: took.quantile(1), Unit: "ms", Count: firstStarts,
		Note: "the first request after a start, to the first byte of the response; the slowest of all starts"}.atMost(firstSearch))
}

// addMemory adds a row with the memory of a server after all requests of a part.
func (b *bench) addMemory(part string, p *process) error {
	mib, err := p.memory()
	if err != nil {
		return err
	}
	return b.add(row{Part: part, Name: "own memory", Value: mib, Unit: "MiB",
		Note: "resident memory after all requests, without the build's files, which the system can drop from memory at any time"}.atMost(servedMemory))
}

// memory returns the resident memory of a process in MiB, without mapped files.
func (p *process) memory() (float64, error) {
	proc, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return 0, fmt.Errorf("read the memory of a server (Linux only): %w", err)
	}
	status, err := proc.NewStatus()
	if err != nil {
		return 0, fmt.Errorf("read the memory of a server (Linux only): %w", err)
	}
	return float64(status.RssAnon) / (1 << 20), nil
}
