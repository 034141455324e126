// Package config sets the flags of commands from environment variables and from a configuration
// file, and records where each value came from.
//
// The file is YAML, with a section for each command. A section contains flags, and sections for
// subcommands. A flag outside the sections of the commands that have it applies to all of them,
// and the setting that is nearest to the command wins:
//
//	content: /srv/content        # for every command with --content
//	serve: {addr: ":80", limit-anonymous: 50}
//	keys: {list: {all: true}}
//
// The command line takes precedence over the environment, and the environment over the file.
package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
)

// Flag is the name of the flag that names the configuration file. The file cannot set it.
const Flag = "config"

// ignored are the flags that neither the environment nor a file sets. The environment sets Flag,
// but a file does not.
var ignored = []string{"help", "version"}

// Rules keep secrets out of configuration files, which are often shared.
type Rules struct {
	// Elsewhere maps a name that people may expect to be a setting to what to do instead.
	Elsewhere map[string]string
	// Secret returns "" if the value of a flag contains no secret, and otherwise what is wrong
	// with it and where the secret belongs.
	Secret func(flag, value string) string
}

// File is a configuration file that has been checked.
type File struct {
	Path     string
	settings map[string]map[string]setting // command path → flag → setting
}

// setting is the value of a flag in a file.
type setting struct {
	value any // what yamldoc returns
	line  int
}

// Load reads a configuration file and checks it against root and all commands below it. To check
// the values, it sets the flags of these commands, so the caller must not run them. The error is a
// yamldoc.Problems if the file could be read. The size and the nesting of the file are limited, and
// it cannot use anchors.
func Load(path string, root *cobra.Command, rules Rules) (*File, error) {
	r, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("the configuration file cannot be read: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(r, yamldoc.MaxFileSize+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("the configuration file cannot be read: %w", err)
	}
	l := loader{file: &File{Path: path, settings: map[string]map[string]setting{}}, rules: rules}
	if empty(data) {
		return l.file, nil
	}
	l.doc = yamldoc.Parse(path, data)
	if fields, ok := l.doc.Fields(); ok {
		l.section(root, fields, nil)
	}
	if problems := l.doc.Report(); len(problems) > 0 {
		return nil, problems
	}
	return l.file, nil
}

// empty reports whether a file has no settings, such as a template that nobody has edited.
func empty(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// loader checks a file.
type loader struct {
	file  *File
	doc   *yamldoc.Document
	rules Rules
}

// section checks the settings for a command and its subcommands. A set of fields is always a
// section, because no flag has such a value.
func (l *loader) section(c *cobra.Command, fields map[string]any, path []string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, at := fields[name], append(slices.Clone(path), name)
		inner, isSection := value.(map[string]any)
		sub, flags := child(c, name), flagsBelow(c, name)
		switch elsewhere := l.rules.Elsewhere[name]; {
		case sub != nil && isSection:
			l.section(sub, inner, at)
		case sub != nil && value == nil: // everything in it is commented out
		case len(flags) > 0:
			l.flag(c, flags, name, value, at)
		case elsewhere != "":
			l.doc.AddAt(at, true, yamldoc.Problem{Message: elsewhere})
		case sub != nil:
			l.doc.AddAt(at, false, yamldoc.Problem{Message: fmt.Sprintf("is a command; write its flags as %s: {FLAG: VALUE}", name)})
		default:
			l.doc.AddAt(at, true, yamldoc.Problem{Message: unknown(c, isSection), Suggestion: didyoumean.Name(name, known(c, isSection))})
		}
	}
}

func unknown(c *cobra.Command, isSection bool) string {
	what := "no flag or subcommand of " + c.CommandPath() + " has this name"
	switch {
	case c.Parent() == nil && isSection:
		what = "no command has this name"
	case c.Parent() == nil:
		what = "no flag has this name"
	case !c.HasSubCommands():
		what = c.CommandPath() + " has no such flag"
	}
	return what
}

// known returns the names that are valid in the section of a command. For a set of fields, these
// are its subcommands or, if it has none, its flags. For any other value, these are the flags of
// the command and of its subcommands and, except in the root section, its subcommands.
func known(c *cobra.Command, isSection bool) (names []string) {
	for _, sub := range c.Commands() {
		if isSection || c.Parent() != nil {
			names = append(names, sub.Name())
		}
	}
	if isSection && len(names) > 0 {
		return names
	}
	walk(c, func(below *cobra.Command) {
		below.Flags().VisitAll(func(f *pflag.Flag) {
			if settable(f) && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		})
	})
	return names
}

// flag checks one setting and records it.
func (l *loader) flag(c *cobra.Command, flags []*pflag.Flag, name string, value any, at []string) {
	if wrong := l.secret(name, value); wrong != "" {
		l.doc.AddAt(at, false, yamldoc.Problem{Message: wrong})
		return
	}
	if slices.ContainsFunc(flags, func(f *pflag.Flag) bool { return f.Value.Type() != flags[0].Value.Type() }) {
		l.doc.AddAt(at, true, yamldoc.Problem{Message: "has different types in different commands; set it in the section of each command"})
		return
	}
	for _, f := range flags {
		if err := set(f, value); err != nil {
			l.doc.AddAt(at, false, yamldoc.Problem{Message: err.Error()})
			return
		}
	}
	command := commandName(c)
	if l.file.settings[command] == nil {
		l.file.settings[command] = map[string]setting{}
	}
	line, _ := l.doc.Locate(at, true)
	l.file.settings[command][name] = setting{value, line}
}

func (l *loader) secret(name string, value any) string {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, v := range list {
		if text, ok := v.(string); ok {
			if wrong := l.rules.Secret(name, text); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// child returns the subcommand with a name, or nil if there is none.
func child(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}

// flagsBelow returns the flags with a name of a command and all commands below it.
func flagsBelow(c *cobra.Command, name string) (flags []*pflag.Flag) {
	walk(c, func(below *cobra.Command) {
		if f := below.Flags().Lookup(name); f != nil && settable(f) {
			flags = append(flags, f)
		}
	})
	return flags
}

// walk visits a command and all commands below it.
func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		walk(sub, visit)
	}
}

// settable reports whether a configuration file can set a flag.
func settable(f *pflag.Flag) bool { return f.Name != Flag && !slices.Contains(ignored, f.Name) }

// commandName returns the name of a command without that of the program, such as "keys list".
func commandName(c *cobra.Command) string {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return name
}
