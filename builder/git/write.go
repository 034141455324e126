package git

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// Top returns the root of the working tree that contains a folder. The error is
// ErrNoRepository if there is none.
func Top(ctx context.Context, dir string) (string, error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return "", err
	}
	top, err := r.discover(ctx, "--show-toplevel")
	return strings.TrimSuffix(top, "\n"), err
}

// CreateBranch creates a branch at a commit. It is an error if the branch already exists.
func (r *Repository) CreateBranch(ctx context.Context, name, commit string) error {
	// Newer versions of git also read hooks from the configuration, regardless of
	// core.hooksPath.
	hooks, err := r.query(ctx, "config", "--includes", "--show-scope", "--name-only", "--get-regexp", `^hook\..*\.command$`)
	if err != nil && ExitCode(err) != 1 {
		return err
	}
	for line := range strings.Lines(hooks) {
		if scope, key, _ := strings.Cut(line, "\t"); scope == "local" || scope == "worktree" {
			return fmt.Errorf("the repository's configuration has a hook (%s), which kindex does not run; remove it, or create the branch yourself: git branch %s %.12s",
				cleanMessage(key), name, commit)
		}
	}
	// The empty last argument makes git fail if the branch exists.
	_, err = r.query(ctx, "update-ref", "refs/heads/"+name, commit, "")
	return err
}

// Identity returns the environment variables that set the author and committer. Their values
// come from the settings of the user and the repository, and from the environment variables of
// this process, which take precedence.
func (r *Repository) Identity(ctx context.Context) (env []string, err error) {
	out, err := r.query(ctx, "config", "--includes", "--null", "--get-regexp", `^(user|author|committer)\.(name|email)$`)
	list, err := configured(out, err)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for _, s := range list {
		set[s.Name] = s.Value // the last value takes precedence
	}
	for _, role := range []string{"author", "committer"} {
		for _, what := range []string{"name", "email"} {
			if value := cmp.Or(set[role+"."+what], set["user."+what]); value != "" {
				env = append(env, "GIT_"+strings.ToUpper(role)+"_"+strings.ToUpper(what)+"="+value)
			}
		}
	}
	return append(env, environment([]string{"GIT_COMMITTER_*", "GIT_AUTHOR_*", "EMAIL"})...), nil
}
