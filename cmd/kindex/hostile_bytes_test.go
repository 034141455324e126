package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"kindex/builder/suite"
)

// TestHostileNumbers changes counts, lengths and offsets in a build's binary files, and
// updates the checksums and the ID to match, as anyone who offers a build for download
// could do. Readers may return an error or wrong data, but must not crash. Before they
// allocate memory according to a number, they must check that number against the size of
// the file.
func TestHostileNumbers(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	content, good := t.TempDir(), t.TempDir()
	writeContent(t, content, 40)
	succeed(t, "build", "--content", content, "--out", good, "--as-of", "2026-07-01")
	usual := peakOf(t, good, "mcp")
	rng := rand.New(rand.NewPCG(22, 22))
	tries, times := 0, suite.Pick(1, 3)
	for _, part := range []string{"exports", "indexes"} {
		for _, name := range binaries(t, filepath.Join(good, part, "builds")) {
			for range times {
				out := filepath.Join(t.TempDir(), "out")
				suite.Check(t, os.CopyFS(out, os.DirFS(good)))
				suite.Check(t, forgeBuild(out, part == "indexes", name, func(b []byte) []byte { return spoil(rng, b) }))
				for _, command := range readersOf(part, tries) {
					tries++
					if peak := peakOf(t, out, command); peak > usual+256<<10 {
						t.Errorf("%s on a build with corrupt numbers in %s: %d KiB of memory, normally %d", command, name, peak, usual)
					}
				}
				if t.Failed() {
					t.Fatalf("%s is spoilt", name)
				}
			}
		}
	}
	if tries < suite.Pick(7, 70) {
		t.Errorf("only %d runs", tries)
	}
}

// readersOf lists the commands to run on a changed file. In make soak, these are all
// commands. Otherwise, it is one command in rotation, which opens the index if no other
// command needs the file.
func readersOf(part string, turn int) []string {
	commands := []string{"search", "mcp", "show", "history"}
	switch {
	case suite.Soaking():
		return commands
	case part == "indexes":
		commands = commands[:2]
	}
	turn %= len(commands)
	return commands[turn : turn+1]
}

// binaries returns the internal files of the only build in a folder, relative to its root.
func binaries(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case slices.Contains([]string{".bin", ".fst", ".zap", ".bolt"}, filepath.Ext(path)), strings.Contains(path, "lookup") && !d.IsDir():
			rel, _ := filepath.Rel(dir, path)
			_, name, _ := strings.Cut(filepath.ToSlash(rel), "/")
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	return names
}

// spoil replaces some numbers in a file with misleading values.
func spoil(rng *rand.Rand, b []byte) []byte {
	if json.Valid(bytes.SplitN(b, []byte("\n"), 2)[0]) {
		return spoilNumbers(rng, b)
	}
	if len(b) < 8 {
		return b
	}
	for range 1 + rng.IntN(4) {
		at := 8 * rng.IntN(len(b)/8)
		if rng.IntN(2) == 0 {
			at = 8 * rng.IntN(min(len(b)/8, 8)) // the counts
		}
		numbers := []uint64{1<<64 - 1, 1 << 63, 1<<62 + 1, 1 << 40, 1<<32 - 1, uint64(len(b)), rng.Uint64(), rng.Uint64N(uint64(len(b)))}
		binary.LittleEndian.PutUint64(b[at:], numbers[rng.IntN(len(numbers))])
	}
	return b
}

// spoilNumbers replaces some of the numbers in JSON.
func spoilNumbers(rng *rand.Rand, b []byte) []byte {
	places := regexp.MustCompile(`[:\[,]-?[0-9]+`).FindAllIndex(b, -1)
	if len(places) == 0 {
		return b
	}
	at := places[rng.IntN(len(places))]
	numbers := []string{"-1", "-9999999999", "2147483647", "2147483648", "4294967295", "9223372036854775807", "1e300", fmt.Sprint(rng.Uint32()), fmt.Sprint(rng.IntN(len(b)))}
	return slices.Concat(b[:at[0]+1], []byte(numbers[rng.IntN(len(numbers))]), b[at[1]:])
}

// peakOf runs a command that reads a build, and returns its peak memory in KiB.
func peakOf(t *testing.T, out, command string) int64 {
	t.Helper()
	args := map[string][]string{
		"show": {"show", "tool/tool-1", "--dir", out}, "search": {"search", "tool", "--dir", out},
		"history": {"history", "--dir", out}, "mcp": {"mcp", "--dir", out},
	}[command]
	ctx, cancel := context.WithTimeout(t.Context(), hanging)
	defer cancel()
	cmd := exec.CommandContext(ctx, "kindex", args...)
	cmd.Env = append(os.Environ(), programEnvironment...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	_ = cmd.Run() // the exit code does not matter here
	if ctx.Err() != nil {
		t.Errorf("%s did not end", command)
	}
	if text := output.String(); strings.Contains(text, "goroutine ") || strings.Contains(text, "fatal error") {
		t.Errorf("%s crashes: %.600s", command, text)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss
}
