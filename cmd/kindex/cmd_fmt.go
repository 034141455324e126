package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/cmd/kindex/cli"
	"kindex/exports/kinds"
	"kindex/exports/parallel"
	"kindex/exports/safetext"
)

func fmtCommand() *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use: "fmt [PATH...]", Short: "Format content files",
		Long: `Fmt rewrites YAML files in the standard format: fields in the order of the reference, two
spaces of indentation, quotes only where YAML needs them. Data and comments are
preserved; otherwise the file is left unchanged, and the reason is printed. A PATH is a
file, a folder, or - to format standard input. Changed files are listed.`,
		Example: "  kindex fmt content\n  kindex fmt --check content\n  kindex fmt - < draft.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"content"}
			}
			switch input := slices.Contains(args, "-"); {
			case input && len(args) > 1:
				return cli.Usage(errors.New("- means standard input and cannot be combined with files"))
			case input && cli.AsJSON(cmd) && !check:
				return cli.Usage(errors.New("kindex fmt - prints the formatted file; for a report with --json, add --check"))
			case input:
				return fmtInput(cmd, check)
			}
			return fmtFiles(cmd, check, args)
		},
	}
	cli.JSONFlag(c)
	c.Flags().BoolVar(&check, "check", false, "change nothing; exit with 1 if a file is not formatted")
	return c
}

// formatted is the result for one file.
type formatted struct {
	path          string
	before, after []byte
	err           error
}

func (f *formatted) changed() bool { return f.err == nil && !bytes.Equal(f.before, f.after) }

// format reads a file and formats it. A file that is so large that the formatter will reject it anyway is read only
// in part.
func (f *formatted) format(r io.Reader, declared *kinds.Set) {
	if f.before, f.err = io.ReadAll(io.LimitReader(r, 1<<20)); f.err == nil {
		f.after, f.err = yamlfmt.Format(declared, filepath.ToSlash(f.path), f.before)
	}
}

// fmtInput formats standard input.
func fmtInput(cmd *cobra.Command, check bool) error {
	f := &formatted{path: "stdin"}
	f.format(cmd.InOrStdin(), kinds.Default())
	if f.err != nil || check {
		return reportFormatted(cmd, check, []*formatted{f})
	}
	_, err := cmd.OutOrStdout().Write(f.after)
	return err
}

// fmtFiles formats files and folders. A problem with one path does not stop it from
// formatting the others.
func fmtFiles(cmd *cobra.Command, check bool, args []string) error {
	var list []*formatted
	seen, folders := map[string]bool{}, map[string]*kinds.Set{}
	for _, arg := range args {
		for _, f := range filesToFormat(arg) {
			real, err := filepath.EvalSymlinks(f.path)
			if full, failed := filepath.Abs(real); err == nil && failed == nil {
				if seen[full] {
					continue
				}
				seen[full] = true
			}
			list = append(list, f)
			if dir := filepath.Dir(f.path); f.err == nil && folders[dir] == nil {
				folders[dir], f.err = kindsOf(dir)
			}
		}
	}
	err := parallel.Each(len(list), func(i int) error {
		if f := list[i]; f.err == nil && cmd.Context().Err() == nil {
			f.formatFile(folders[filepath.Dir(f.path)], check)
		}
		return nil
	})
	if err := errors.Join(err, cmd.Context().Err()); err != nil {
		return err
	}
	return reportFormatted(cmd, check, list)
}

// filesToFormat lists the files that a path refers to. It skips hidden files, and links
// within a folder.
func filesToFormat(path string) (list []*formatted) {
	add := func(path string, err error) { list = append(list, &formatted{path: path, err: err}) }
	root := path
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // follow a link to a folder if the user named the link
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		add(path, fmt.Errorf("%s: no such file or folder", path))
	case err != nil:
		add(path, err)
	case !info.IsDir() && !info.Mode().IsRegular():
		add(path, fmt.Errorf("%s: neither a file nor a folder", path))
	case !info.IsDir() && !content.IsYAML(path):
		add(path, fmt.Errorf("%s: not a YAML file (.yaml)", path))
	case !info.IsDir():
		add(path, nil)
	}
	if list != nil {
		return list
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && name != root
		switch {
		case err != nil:
			add(name, err)
		case hidden && d.IsDir():
			return fs.SkipDir
		case !hidden && d.Type().IsRegular() && content.IsYAML(name):
			add(name, nil)
		}
		return nil
	})
	if err != nil || list == nil {
		add(path, errors.Join(err, fmt.Errorf("%s: no YAML files found", path)))
	}
	return list
}

// kindsOf returns the kinds of the content folder that is, or contains, a folder.
func kindsOf(dir string) (*kinds.Set, error) {
	for _, dir := range []string{dir, filepath.Join(dir, "..")} {
		if _, err := os.Stat(filepath.Join(dir, content.KindsFile)); err == nil {
			return content.ReadKinds(dir)
		}
	}
	return kinds.Default(), nil
}

// formatFile formats one file, and replaces it atomically. Its permissions, and links to it, are preserved.
func (f *formatted) formatFile(declared *kinds.Set, check bool) {
	path, err1 := filepath.EvalSymlinks(f.path)
	file, err2 := os.Open(path)
	if f.err = errors.Join(err1, err2); f.err != nil {
		return
	}
	defer file.Close()
	if f.format(file, declared); check || !f.changed() {
		return
	}
	info, err := file.Stat()
	if err == nil && info.Mode().Perm()&0o222 == 0 {
		err = fmt.Errorf("%s: file is read-only", path)
	}
	if f.err = err; err != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".kindex-fmt-*")
	if f.err = err; err != nil {
		return
	}
	_, err = tmp.Write(f.after)
	if err = errors.Join(err, tmp.Chmod(info.Mode().Perm()), tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if f.err = err; err != nil {
		_ = os.Remove(tmp.Name()) // the first error counts
	}
}

// reportFormatted prints the files that changed, or would change, and the problems found in
// other files.
func reportFormatted(cmd *cobra.Command, check bool, list []*formatted) error {
	stderr := cmd.ErrOrStderr()
	var problems yamldoc.Problems
	report := fmtReport{Files: len(list), Changed: []fmtChange{}}
	failed := false
	for _, f := range list {
		var found yamldoc.Problems
		switch {
		case errors.As(f.err, &found):
			problems = append(problems, found...)
		case f.err != nil:
			failed = true
			fmt.Fprintln(stderr, cli.Paint(stderr, color.FgRed, "kindex:"), f.err)
		case f.changed():
			report.Changed = append(report.Changed, fmtChange{filepath.ToSlash(f.path)})
		}
	}
	err := cli.Print(cmd, report, func(w io.Writer) {
		for _, c := range report.Changed {
			fmt.Fprintln(w, safetext.Escape(filepath.FromSlash(c.File)))
		}
	})
	if len(problems) > 0 {
		problems.Sort()
		cli.PrintProblems(stderr, slices.Compact(problems)) // every file of a folder has those of kinds.yaml
	}
	if err == nil && (len(problems) > 0 || failed || check && len(report.Changed) > 0) {
		err = cli.Quiet(cli.ExitProblem)
	}
	return err
}

// fmtReport is the report of fmt. --json prints it.
type fmtReport struct {
	Files   int         `json:"files"`
	Changed []fmtChange `json:"changed"` // with --check, the files that would change
}

// fmtChange is a file that is not formatted.
type fmtChange struct {
	File string `json:"file"`
}
