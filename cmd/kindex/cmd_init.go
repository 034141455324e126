package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/git"
	"kindex/builder/plural"
	"kindex/builder/scaffold"
)

type initOptions struct {
	title, description string
	git                bool
}

func initCommand() *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use: "init DIR", Short: "Begin an index of your own",
		Long: `Init makes a new index in a folder that is empty or that there is not yet:
content/ with categories, the formula of the scores and three example entities,
a README, and a workflow by which GitHub checks every pull request. It can be
built and served at once. A .git may be in the folder already; with anything
else in it, init writes nothing.

With --git, init makes the folder a git repository, unless it lies in one. It
commits nothing: look at the files first.`,
		Example: `  kindex init mine
  kindex init tools --title 'Tools of our lab' --git`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInit(cmd.Context(), cmd.OutOrStdout(), args[0], o)
		},
	}
	c.Flags().StringVar(&o.title, "title", "", "the name of the index (default the name of the folder)")
	c.Flags().StringVar(&o.description, "description", "", "one sentence on what it holds")
	c.Flags().BoolVar(&o.git, "git", false, "make the folder a git repository, without a commit")
	return c
}

func runInit(ctx context.Context, w io.Writer, dir string, o initOptions) error {
	hasGit := git.Available()
	if o.git && !hasGit {
		return errors.New("--git: there is no program git here; install it, or leave --git out")
	}
	if dir == "" {
		return usageError{errors.New("name a folder; see: kindex init --help")}
	}
	if o.title == "" {
		full, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		o.title = filepath.Base(full)
	}
	written, err := scaffold.Write(dir, scaffold.Options{Title: o.title, Description: o.description})
	var option *scaffold.OptionError
	if errors.As(err, &option) {
		return usageError{fmt.Errorf("--%s: %s", option.Option, option.Message)}
	}
	if err != nil {
		return err
	}
	repository := ""
	if hasGit {
		repository, err = repositoryOf(ctx, dir, o.git)
		if err != nil && o.git {
			return fmt.Errorf("%s: the index is there, but git says: %w", dir, err)
		}
		hasGit = err == nil // else it cannot tell, and nobody has asked it
	}
	printNext(w, dir, len(written), hasGit, repository)
	return nil
}

// repositoryOf returns the root of the repository that dir lies in, "" if it
// lies in none. Where it lies in none and create says so, one is made.
func repositoryOf(ctx context.Context, dir string, create bool) (string, error) {
	root, err := git.Top(ctx, dir)
	if !errors.Is(err, git.ErrNoRepository) {
		return root, err
	}
	if !create {
		return "", nil
	}
	if err := git.Init(ctx, dir); err != nil {
		return "", err
	}
	return git.Top(ctx, dir)
}

// printNext says what was made and what to do with it, in commands that can be
// copied to the shell that init was called in. gitTells says whether git knows
// of the repository; "" is then none.
func printNext(w io.Writer, dir string, files int, gitTells bool, repository string) {
	kindex, content, out := shellWord(os.Args[0]), shellPath(dir, "content"), shellPath(dir)
	workflow := filepath.Join(dir, ".github", "workflows", "validate.yml")
	fmt.Fprintf(w, "%s: a new index, with three examples in %s\n\nNext:\n", dir, plural.Count(files, "file", "files"))
	for _, command := range []string{"validate " + content, "build --content " + content + " --out " + out, "serve --dir " + out} {
		fmt.Fprintf(w, "  %s %s\n", kindex, command)
	}
	fmt.Fprintf(w, "\nIt is then at http://127.0.0.1:8080; %s says how to go on.\n", filepath.Join(dir, "README.md"))
	fmt.Fprintf(w, "For the check of pull requests, write where kindex comes from into %s.\n", workflow)
	switch {
	case !gitTells:
	case repository == "":
		fmt.Fprintf(w, "It is not under version control yet: git init %s\n", out)
	case !sameFolder(repository, dir):
		fmt.Fprintf(w, "It lies in the repository %s, and GitHub runs workflows only from the root of one: move that file there, and change the folders that it names.\n", repository)
	}
}

func sameFolder(a, b string) bool {
	infoA, err1 := os.Stat(a)
	infoB, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(infoA, infoB)
}

// shellPath writes a path so that a command line takes it for one word and not
// for a flag.
func shellPath(parts ...string) string {
	p := filepath.Join(parts...)
	if strings.HasPrefix(p, "-") {
		p = "." + string(filepath.Separator) + p
	}
	return shellWord(p)
}

// shellWord writes a word as a POSIX shell reads it.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[\pL\pN_./:@%+,=-]+$`)
