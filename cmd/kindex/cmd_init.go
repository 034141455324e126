package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"kindex/builder/git"
	"kindex/builder/plural"
	"kindex/builder/scaffold"
	"kindex/cmd/kindex/cli"
	"kindex/exports/jsonenc"
)

func initCommand() *cobra.Command {
	var o scaffold.Options
	c := &cobra.Command{
		Use: "init DIR", Short: "Start a new index",
		Long: `Init creates a new index in a new or empty folder: content/ with categories, the scoring
formula and three example entities, a README, and two GitHub workflows: one checks every
pull request, the other proposes new figures every week. With --kind, it has an example of a
kind of your own, which content/kinds.yaml declares, no formula, and only the first workflow.`,
		Example: `  kindex init mine
  kindex init tools --title 'Lab tools'
  kindex init studio --kind glaze`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInit(cmd, args[0], o)
		},
	}
	c.Flags().StringVar(&o.Title, "title", "", "the title of the index (default: the name of the folder)")
	c.Flags().StringVar(&o.Description, "description", "", "one sentence about its contents")
	c.Flags().StringVar(&o.Kind, "kind", "", "start with a kind of your own, such as glaze, instead of tools and models")
	cli.JSONFlag(c)
	return c
}

func runInit(cmd *cobra.Command, dir string, o scaffold.Options) error {
	if dir == "" {
		return cli.Usage(errors.New("specify a folder; see kindex init --help"))
	}
	if o.Title == "" {
		full, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		o.Title = filepath.Base(full)
	}
	written, err := scaffold.Write(dir, o)
	var option *scaffold.OptionError
	if errors.As(err, &option) {
		return cli.Usage(fmt.Errorf("--%s: %s", option.Option, option.Message))
	}
	if err != nil {
		return err
	}
	repository, err := git.Top(cmd.Context(), dir)
	gitTells := err == nil || errors.Is(err, git.ErrNoRepository) // the index is complete even if git fails, or is missing
	examples, edit := "three example entities", "To have pull requests checked and figures kept current, edit the workflows"
	if o.Kind != "" {
		examples, edit = "an example", "To have pull requests checked, edit the workflow"
	}
	report := map[string]any{"folder": dir, "title": o.Title, "files": append([]string{}, written...), "repository": jsonenc.OptionalString(repository)}
	return cli.Print(cmd, report, func(w io.Writer) {
		printNext(w, dir, fmt.Sprintf("a new index of %s, including %s", plural.Count(len(written), "file", "files"), examples), edit, gitTells, repository)
	})
}

// printNext prints what was made and the next commands, ready to paste into the shell
// that called init. gitTells is set if git was able to look for a repository; only then
// does an empty repository argument mean that there is none.
func printNext(w io.Writer, dir, made, edit string, gitTells bool, repository string) {
	kindex, content, out := shellWord(os.Args[0]), shellPath(dir, "content"), shellPath(dir)
	workflows := filepath.Join(dir, ".github", "workflows")
	fmt.Fprintf(w, "%s: %s\n\nNext:\n", dir, made)
	for _, command := range []string{"validate " + content, "build --content " + content + " --out " + out, "serve --dir " + out} {
		fmt.Fprintf(w, "  %s %s\n", kindex, command)
	}
	fmt.Fprintf(w, "\nThe index is then at http://127.0.0.1:8080; see %s for what to do next.\n", filepath.Join(dir, "README.md"))
	fmt.Fprintf(w, "%s in %s to specify where to get kindex.\n", edit, workflows)
	switch {
	case !gitTells:
	case repository == "":
		fmt.Fprintf(w, "The index is not under version control yet; run: git init %s\n", out)
	case !cli.SameFile(repository, dir):
		fmt.Fprintf(w, "The index is inside the repository %s, but GitHub runs workflows only from the root of a repository: move the workflows to the root, and adjust the folders in them.\n", repository)
	}
}

// shellPath joins and quotes a path so that a shell parses it as one word and a command
// does not mistake it for a flag.
func shellPath(parts ...string) string {
	p := filepath.Join(parts...)
	if strings.HasPrefix(p, "-") {
		p = "." + string(filepath.Separator) + p
	}
	return shellWord(p)
}

func shellWord(s string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_./:@%+,=-", r)
	}
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
