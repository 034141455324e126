package history

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// trackedSettings keep a repository from running anything while its files are
// listed, and a folder from passing itself off as one.
var trackedSettings = []string{"-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit", "-c", "core.hooksPath=" + os.DevNull}

// Tracked reports whether git tracks a file in one of these folders: in the index
// of the repository that the folder lies in, or in the commit that is checked out
// there. A folder that does not exist has none. Without git, or outside of any
// repository, nothing is tracked.
func Tracked(ctx context.Context, dirs ...string) (bool, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return false, nil
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		told := append([]string{"-C", dir, "--literal-pathspecs"}, trackedSettings...)
		inIndex, err := lists(ctx, told, "ls-files", "-z", "--cached", "--", ".")
		if err != nil && strings.Contains(err.Error(), "not a git repository") {
			continue
		}
		if err != nil || inIndex {
			return inIndex, err
		}
		if head, err := lists(ctx, told, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"); err != nil || !head {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			continue // there is no commit yet
		}
		if inCommit, err := lists(ctx, told, "ls-tree", "-z", "HEAD", "--", "."); err != nil || inCommit {
			return inCommit, err
		}
	}
	return false, nil
}

// lists reports whether a git command prints anything.
func lists(ctx context.Context, told []string, args ...string) (bool, error) {
	p, err := start(ctx, told, false, args...)
	if err != nil {
		return false, fmt.Errorf("git: %w", err)
	}
	out, err := p.read()
	return out != "", err
}
