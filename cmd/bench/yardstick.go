package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
)

// decoding is the cost of reading and decoding all files of a content folder, in seconds.
type decoding struct{ Wall, Processor float64 }

// measureDecoding compares the build with a program that only reads all files and decodes them
// with goccy/go-yaml on all cores. Ratios to it hold on machines of different speed.
func (b *bench) measureDecoding(ctx context.Context) error {
	cmd, err := child(ctx, "decode", b.corpus)
	if err != nil {
		return err
	}
	asBuild(cmd)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("decode %s: %w", b.corpus, err)
	}
	var d decoding
	if err := json.Unmarshal(out, &d); err != nil {
		return err
	}
	rows := []row{{Part: "decoding", Name: "goccy", Value: d.Wall, Unit: "s", Count: 1,
		Note: "reads all files and decodes them with goccy/go-yaml on as many cores as the build uses"},
		{Part: "decoding", Name: "goccy processor time", Value: d.Processor, Unit: "s"}}
	for _, r := range b.rows {
		switch {
		case r.Part != "build":
		case r.Name == "total":
			rows = append(rows, row{Part: "decoding", Name: "full build", Value: r.Value, Unit: "s"}.against("goccy", d.Wall, 1).
				timesAtMost(3).explained(b.buildProfile(ctx, "cpu")))
		case r.Name == "processor time":
			rows = append(rows, row{Part: "decoding", Name: "full build processor time", Value: r.Value, Unit: "s"}.against("goccy", d.Processor, 1))
		}
	}
	return b.add(rows...)
}

// decode is the child that reads and decodes all files of a content folder.
func decode(_ context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("decode CONTENT")
	}
	start := time.Now()
	paths, failed := make(chan string, 256), make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range failed {
		wg.Go(func() {
			for path := range paths {
				if failed[w] == nil {
					failed[w] = decodeFile(path)
				}
			}
		})
	}
	err := filepath.WalkDir(args[0], func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".yaml" {
			paths <- path
		}
		return err
	})
	close(paths)
	wg.Wait()
	if err = errors.Join(append(failed, err)...); err != nil {
		return err
	}
	d := decoding{Wall: time.Since(start).Seconds()}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return err
	}
	d.Processor = time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	return json.NewEncoder(stdout).Encode(d)
}

func decodeFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var fields map[string]any
	if err := yaml.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
