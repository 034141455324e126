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
)

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
