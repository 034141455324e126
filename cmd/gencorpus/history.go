package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The time span of a history.
var (
	firstCommit = time.Date(2024, 11, 1, 8, 0, 0, 0, time.UTC)
	lastCommit  = time.Date(2026, 10, 31, 8, 0, 0, 0, time.UTC)
)

// reading matches the value and the day of a figure.
var reading = regexp.MustCompile(`\{value: (\d+), date: [0-9-]+`)

// commitAll commits the content as it is, and then, in o.commits-1 commits over two years, edits of the
// figures of some entities.
func commitAll(g *generator, o options) error {
	files, err := filepath.Glob(filepath.Join(o.repo, "content", "*", "*.yaml"))
	if err != nil {
		return err
	}
	var stream bytes.Buffer
	commit := func(k int) (day string) {
		at := firstCommit.Add(time.Duration(float64(lastCommit.Sub(firstCommit)) * float64(k) / float64(o.commits)))
		message := fmt.Sprintf("Edit the index (#%d)", k)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter Curator <curator@example.org> %d +0000\ndata %d\n%s\n", at.Unix(), len(message), message)
		return at.Format(time.DateOnly)
	}
	edit := func(path string, change func([]byte) []byte) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data = change(data)
		name, _ := filepath.Rel(o.repo, path) // the path is in the folder
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", filepath.ToSlash(name), len(data), data)
		return os.WriteFile(path, data, 0o644)
	}
	all, err := filepath.Glob(filepath.Join(o.repo, "content", "*.yaml"))
	for k := 0; k < o.commits && err == nil; k++ {
		day, chosen := commit(k), append(all, files...)
		for k > 0 && len(chosen) > 1+k%4 {
			chosen = []string{pick(g, files), pick(g, files), pick(g, files), pick(g, files)}[:1+k%4]
		}
		slices.Sort(chosen)
		for _, path := range slices.Compact(chosen) {
			err = edit(path, func(data []byte) []byte {
				return reading.ReplaceAllFunc(data, func(found []byte) []byte {
					n, _ := strconv.ParseFloat(string(reading.FindSubmatch(found)[1]), 64)
					return fmt.Appendf(nil, "{value: %.0f, date: %s", n*(1+0.05*float64(min(k, 1))*g.ExpFloat64()), day)
				})
			})
			if err != nil {
				return err
			}
		}
	}
	stream.WriteString("done\n")
	if err == nil {
		err = git(&stream, "-C", o.repo, "-c", "core.compression=1", "fast-import", "--quiet", "--done")
	}
	if err == nil {
		err = git(nil, "-C", o.repo, "reset", "-q", "--hard", "main")
	}
	return err
}

// git runs a command without user configuration, which could change the result.
func git(input *bytes.Buffer, args ...string) error {
	cmd := exec.Command("git", args...)
	if input != nil {
		cmd.Stdin = input
	}
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
