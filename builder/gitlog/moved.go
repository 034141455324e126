package gitlog

import (
	"context"
	"slices"
	"strings"
)

// followFolder prepends the commits from before the content folder was moved to the folder with a path. commits
// are all of that folder, oldest first.
func (r *repository) followFolder(ctx context.Context, commits []*logged, folder string) ([]*logged, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	first := commits[0]
	from, gone, err := r.movedFrom(ctx, first, folder)
	if err != nil || gone == nil {
		return commits, err
	}
	earlier, err := r.readLog(ctx, first.Hash+"^1", "", from)
	if err == nil {
		earlier, err = r.followFolder(ctx, earlier, from)
	}
	for _, f := range gone { // those that the new folder does not have are deleted
		if !slices.ContainsFunc(first.files, func(g *file) bool { return g.key() == f.key() }) {
			first.files = append(first.files, f)
		}
	}
	return append(earlier, commits...), err
}

// movedFrom returns the folder from which a commit moved at least half of the entity files that it added to a
// folder, and all entity files that it deleted there; gone is nil if there is none. The content of a file
// may change when it is moved.
func (r *repository) movedFrom(ctx context.Context, c *logged, folder string) (from string, gone []*file, err error) {
	out, err := r.git(ctx, "log", "-1", "--root", "--diff-merges=first-parent", "--name-status", "-z", "--no-renames", "--no-relative",
		"--diff-filter=D", "--no-show-signature", "--no-notes", "--format=", c.Hash, "--")
	if err != nil {
		return "", nil, err
	}
	deleted, moved := map[string][]*file{}, map[string]int{}
	fields := strings.Split(strings.Trim(out, "\x00\n"), "\x00")
	for i := 1; i < len(fields); i += 2 { // a status and a path
		parts := strings.Split(fields[i], "/")
		at := max(0, len(parts)-2)
		typ, slug, ok := entityPath(r.kinds, strings.Join(parts[at:], "/"))
		if !ok {
			continue
		}
		old := strings.Join(append(parts[:at:at], ""), "/")
		deleted[old] = append(deleted[old], &file{typ: typ, slug: slug, gone: true})
		if slices.ContainsFunc(c.files, func(f *file) bool { return f.key() == typ+"/"+slug }) {
			if moved[old]++; moved[old] > moved[from] || from == folder {
				from = old
			}
		}
	}
	if n := moved[from]; n == 0 || from == folder || 2*n < len(c.files) {
		return "", nil, nil
	}
	return from, deleted[from], nil
}
