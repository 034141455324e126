package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/cmd/kindex/cli"
	"kindex/edge/mcp"
	"kindex/exports"
)

func dirFlag(f *pflag.FlagSet, dir *string) {
	f.StringVar(dir, "dir", ".", "the folder that build --out wrote")
}

// completeKey returns the completion for an argument TYPE/SLUG of a command with --dir.
func completeKey(dir *string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, start string) (keys []string, _ cobra.ShellCompDirective) {
		if len(args) == 0 && cli.ApplyEnvironment(cmd) == nil {
			_ = cli.WithBuild(*dir, func(b *exports.Build) error { // without a build, there is nothing to complete
				for typ, slug := range b.Keys {
					if key := typ + "/" + slug; strings.HasPrefix(key, start) && len(keys) < 200 {
						keys = append(keys, key)
					}
				}
				return nil
			})
		}
		return keys, cobra.ShellCompDirectiveNoFileComp
	}
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

func unknownKey(b *exports.Build, name string) error {
	var names []string
	for t, s := range b.Keys {
		if names = append(names, t+"/"+s); !strings.Contains(name, "/") {
			names[len(names)-1] = s
		}
	}
	return cli.UnknownName("entity", name, names)
}

// apiKeyVariable is the environment variable that contains the key for --url. There is no
// flag for it because every user of the machine can read command lines.
const apiKeyVariable = "KINDEX_API_KEY" //nolint:gosec // a name, not a secret

// serviceOptions choose between a build and a service that serves one.
type serviceOptions struct{ dir, url, keyFile string }

func (o *serviceOptions) flags(f *pflag.FlagSet) {
	dirFlag(f, &o.dir)
	f.StringVar(&o.url, "url", "", "query the service at this address instead, such as https://index.example.org")
	f.StringVar(&o.keyFile, "key-file", "", "a file with the key for --url (default: the environment variable "+apiKeyVariable+")")
	cli.Needs(f, "url", "key-file") // the build in --dir needs no key
	cli.Excludes(f, "url", "dir", "one is a service, the other the folder of a build")
}

// client returns the client for a service, or nil if the build is to be used. It warns if the key will be
// sent unencrypted.
func (o *serviceOptions) client(cmd *cobra.Command) (*mcp.Client, error) {
	if o.url == "" || cli.OnCommandLine(cmd.Flags(), "dir") {
		return nil, nil
	}
	key, err := readAPIKey(o.keyFile)
	if err != nil {
		return nil, err
	}
	client, err := mcp.NewClient(o.url, key)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--url: %w", err))
	}
	if key != "" && client.Exposed() {
		fmt.Fprintf(cmd.ErrOrStderr(), "kindex: the key is sent to %s unencrypted; use an https address\n", o.url)
	}
	return client, nil
}

// readAPIKey returns the API key in a file or, if keyFile is "", in the environment. It
// returns "" if there is none.
func readAPIKey(keyFile string) (string, error) {
	from, key := apiKeyVariable, os.Getenv(apiKeyVariable)
	if keyFile != "" {
		data, err := os.ReadFile(keyFile) //nolint:gosec // the user names the file
		if err != nil {
			return "", err
		}
		if from, key = keyFile, string(data); strings.TrimSpace(key) == "" {
			return "", fmt.Errorf("%s is empty; it must contain the key", from)
		}
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New(from + " does not contain exactly one key; a key is one word such as kx_…")
	}
	return key, nil
}
