package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// source is the commit that a release is made from.
type source struct {
	commit string // 40 hexadecimal digits
	epoch  int64  // the date of all files, in seconds since 1970
}

// checkVersion accepts tags such as v1.2.3 and v1.2.3-rc.1. Versions with build metadata are
// refused because packages and tags compare them differently.
func checkVersion(v string) error {
	if !semver.IsValid(v) || semver.Canonical(v) != v {
		return fmt.Errorf("-version %q must be a tag such as v1.2.3 or v1.2.3-rc.1; with make: make dist VERSION=v1.2.3", v)
	}
	return nil
}

// findSource returns the commit of the working tree, which must be clean: a release that
// contains uncommitted changes could not be reproduced. If the tag exists, it must name that
// commit.
func findSource(ctx context.Context, root, version string) (*source, error) {
	status, err := git(ctx, root, "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if status != "" {
		first, _, _ := strings.Cut(status, "\n")
		return nil, fmt.Errorf("%s has uncommitted changes, so nobody could reproduce the release; commit or remove them: %s", root, first)
	}
	shown, err := git(ctx, root, "show", "--no-patch", "--format=%H %ct", "HEAD")
	if err != nil {
		return nil, err
	}
	s := &source{}
	if _, err := fmt.Sscanf(shown, "%40s %d", &s.commit, &s.epoch); err != nil {
		return nil, fmt.Errorf("git show printed %q: %w", shown, err)
	}
	if tagged, err := git(ctx, root, "rev-parse", "--quiet", "--verify", "refs/tags/"+version+"^{commit}"); err == nil && tagged != s.commit {
		return nil, fmt.Errorf("the tag %s points to commit %.12s, but %.12s is checked out", version, tagged, s.commit)
	}
	if text, ok := os.LookupEnv("SOURCE_DATE_EPOCH"); ok {
		if s.epoch, err = strconv.ParseInt(text, 10, 64); err != nil || s.epoch < 0 {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH=%q must be a number of seconds since 1970", text)
		}
	}
	return s, nil
}

func git(ctx context.Context, root string, args ...string) (string, error) {
	return output(ctx, root, nil, "git", args...)
}

// output runs a program with additional environment variables and returns what it prints,
// without the final line feed. Errors contain what it printed on standard error.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), errors.Join(err, errors.New(strings.TrimSpace(stderr.String()))))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
