package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/cmd/kindex/cli"
)

type newOptions struct {
	content            string
	texts              map[string]*string // field → value
	tags, capabilities []string
}

// textFlags lists the flags for fields that hold a single string.
var textFlags = []struct{ flag, field, usage string }{
	{"name", "name", "the name, spelled as its makers do (required)"},
	{"category", "category", "a slug from categories.yaml (required)"},
	{"description", "description", "one or two sentences: what it is for, what sets it apart (required)"},
	{"url", "url", "the address that people should visit"},
	{"provider", "provider", "who makes or offers it"},
	{"license", "license", "an SPDX licence expression"},
	{"pricing-model", "pricingModel", "how people pay for it, such as open-source or subscription"},
}

func newCommand() *cobra.Command {
	o := &newOptions{texts: map[string]*string{}}
	c := &cobra.Command{
		Use: "new TYPE SLUG [DIR]", Short: "Create a file for a new entity",
		Long: `New checks and writes a file for a new entity and prints its path. It never changes an
existing file.`,
		Example: `  kindex new glaze tenmoku --name Tenmoku --category iron --description "Dark brown, breaking to rust."
  kindex new tool hammer --name Hammer --category hand-tools --description "Drives nails." --tag steel,wood`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := cli.TakeContent(cmd, &o.content, args, 2)
			if err != nil {
				return err
			}
			return runNew(cmd, o, args[0], args[1])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			declared, err := content.ReadKinds(o.content)
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return declared.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	cli.ContentFlag(f, &o.content)
	for _, t := range textFlags {
		o.texts[t.field] = f.String(t.flag, "", t.usage)
	}
	cli.JSONFlag(c)
	f.StringSliceVar(&o.tags, "tag", nil, "a keyword, or several separated by commas; may be repeated")
	f.StringSliceVar(&o.capabilities, "capability", nil, "a capability, or several separated by commas; may be repeated")
	return c
}

func runNew(cmd *cobra.Command, o *newOptions, typ, slug string) error {
	if !content.ValidSlug(slug) {
		text := fmt.Sprintf("%q is not a slug: use lower-case letters and digits, separated by single hyphens, at most 100 characters", slug)
		if guess := content.Slugify(slug); guess != "" {
			text += fmt.Sprintf(" (did you mean %q?)", guess)
		}
		return cli.Usage(errors.New(text))
	}
	if device := content.DeviceName(slug); device != "" {
		return cli.Usage(fmt.Errorf("%q%s", slug, device))
	}
	workspace, err := content.OpenWorkspace(o.content)
	if err != nil {
		return err
	}
	declared := workspace.Kinds
	if declared.Kind(typ) == nil {
		return cli.Usage(cli.UnknownChoice("type", typ, declared.Names()))
	}
	if workspace.Missing != nil {
		return workspace.Missing
	}
	fields := o.fields()
	path := filepath.Join(o.content, typ, slug+".yaml")
	if err := checkFree(workspace, o.content, typ, slug); err != nil {
		return err
	}
	var missing []string
	for _, name := range []string{"name", "category", "description"} {
		if fields[name] == nil {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) > 0 {
		return cli.Usage(fmt.Errorf("missing flags: %s; see %s --help", strings.Join(missing, ", "), cmd.CommandPath()))
	}
	data, err := yamlfmt.Compose(declared, fields)
	if err != nil {
		return err
	}
	_, problems := workspace.CheckFile(typ, slug, data)
	if n, _ := problems.Count(); n > 0 {
		cli.PrintProblems(cmd.ErrOrStderr(), problems)
		fmt.Fprintln(cmd.ErrOrStderr(), "nothing was written")
		return cli.ErrReported
	}
	if err := content.WriteEntity(o.content, typ, slug, data); err != nil {
		return err
	}
	if len(problems) > 0 {
		cli.PrintProblems(cmd.ErrOrStderr(), problems)
	}
	report := map[string]any{"file": filepath.ToSlash(path), "type": typ, "slug": slug, "warnings": append(yamldoc.Problems{}, problems...)}
	return cli.Print(cmd, report, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n\nAdd whatever else you know about it (the content folder's README lists the fields), then run:\n"+
			"  kindex fmt %[2]s\n  kindex validate %[2]s\n  kindex build --content %[2]s --out . && kindex show %[3]s/%[4]s\n",
			filepath.ToSlash(path), filepath.ToSlash(o.content), typ, slug)
	})
}

func (o *newOptions) fields() map[string]any {
	fields := map[string]any{}
	for name, value := range o.texts {
		if text := strings.TrimSpace(*value); text != "" {
			fields[name] = text
		}
	}
	for name, list := range map[string][]string{"tags": o.tags, "capabilities": o.capabilities} {
		if len(list) > 0 {
			fields[name] = list
		}
	}
	return fields
}

// checkFree returns an error, with a free slug, if another entity uses the slug or has used it before.
func checkFree(workspace *content.Workspace, dir, typ, slug string) error {
	path := func(slug string) string { return filepath.ToSlash(filepath.Join(dir, typ, slug+".yaml")) }
	free := func(slug string) bool {
		_, err := os.Lstat(path(slug))
		return err != nil && workspace.Find(typ, slug) == nil
	}
	if free(slug) {
		return nil
	}
	other := ""
	for n := 2; n < 100 && other == ""; n++ {
		if next := fmt.Sprintf("%s-%d", slug, n); content.ValidSlug(next) && free(next) {
			other = ", such as " + next
		}
	}
	if e := workspace.Find(typ, slug); e != nil && e.Slug != slug {
		return fmt.Errorf("%s/%s is an earlier address of %s (formerly in %s); use another slug%s", typ, slug, e.Name, path(e.Slug), other)
	}
	return fmt.Errorf("%s already exists; edit it, or use another slug%s", path(slug), other)
}
