package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"kindex/cmd/kindex/cli"
	"kindex/exports"
	"kindex/exports/didyoumean"
)

// dirFlag adds --dir.
func dirFlag(f *pflag.FlagSet, dir *string) {
	f.StringVar(dir, "dir", ".", "the folder that build --out wrote")
}

// withBuild calls do with the published build in a folder.
func withBuild(dir string, do func(b *exports.Build) error) (err error) {
	defer cli.RecoverDamaged(dir, &err)
	b, err := exports.OpenCurrent(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return do(b)
}

// splitKey splits a name that a person wrote: a type and a slug, or a slug that only one type has.
func splitKey(b *exports.Build, name string) (typ, slug string, err error) {
	if typ, slug, ok := strings.Cut(name, "/"); ok {
		return typ, slug, nil
	}
	var found []string
	for t, s := range b.Keys {
		if s == name {
			found = append(found, t+"/"+s)
		}
	}
	switch len(found) {
	case 0:
		return "", "", unknownKey(b, name)
	case 1:
		typ, slug, _ = strings.Cut(found[0], "/")
		return typ, slug, nil
	}
	return "", "", cli.Usage(fmt.Errorf("%q can be %s; use one of these", name, strings.Join(found, " or ")))
}

// unknownKey returns the error for an entity that the build does not have.
func unknownKey(b *exports.Build, name string) error {
	var names []string
	for t, s := range b.Keys {
		if names = append(names, t+"/"+s); !strings.Contains(name, "/") {
			names[len(names)-1] = s
		}
	}
	return cli.UnknownName("entity", name, nil, didyoumean.Name(name, names))
}
