package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"kindex/builder"
	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports/store"
)

func builderKeyFlag(f *pflag.FlagSet, file *string) {
	f.StringVar(file, "builder-key", "", "file with the key that seals builds so that later builds can reuse them; created if missing (default: kindex/builder.key in the user's configuration folder)")
}

// builderKey reads the builder's key from the named file, or from the default file if none
// is named. If the default file does not exist and cannot be created, for example because a
// service has no home folder, builderKey returns no key: builds still work, but cannot
// reuse earlier builds.
func builderKey(stderr io.Writer, file string) (*builder.Key, error) {
	if file != "" {
		return builder.LoadKey(file)
	}
	file, err := builder.DefaultKeyFile()
	if err == nil {
		var key *builder.Key
		if key, err = builder.LoadKey(file); err == nil {
			return key, nil
		}
		if _, there := os.Stat(file); there == nil {
			return nil, err
		}
	}
	fmt.Fprintf(stderr, "warning: %v; without it, builds are not sealed and later builds cannot reuse them: name a file with --builder-key or KINDEX_BUILDER_KEY\n", err)
	return nil, nil
}

// trustFlag adds --trust-previous.
func trustFlag(f *pflag.FlagSet, trust *bool) {
	f.BoolVar(trust, "trust-previous", false, "reuse the published build in the output folder even though this machine has not sealed it, and seal it")
}

// checkTrust rejects --trust-previous if there is no key to seal the trusted build with.
func checkTrust(trust bool, key *builder.Key) error {
	if trust && key == nil {
		return cli.Usage(errors.New("--trust-previous seals a build, which needs a key: name its file with --builder-key or KINDEX_BUILDER_KEY"))
	}
	return nil
}

// reportTakenOver reports which build --trust-previous adopts.
func reportTakenOver(w io.Writer) func(*store.Manifest) {
	return func(m *store.Manifest) {
		from := "no commit"
		if m.Commit != "" {
			from = "commit " + string(m.Commit)
		}
		if m.Commit != "" && m.Dirty {
			from += " with uncommitted changes"
		}
		fmt.Fprintf(w, "trusting build %s, built from %s as of %s: %s\n", m.ID, from, m.AsOf,
			plural.Count(m.Counts.Entities+m.Counts.Withdrawn, "entity", "entities"))
	}
}
