package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/scratch"
	"kindex/cmd/kindex/cli"
	"kindex/cmd/kindex/operator"
	"kindex/edge"
	"kindex/edge/mcp"
	"kindex/edge/storage"
)

type mcpOptions struct{ dir, url, keyFile string }

// apiKeyVariable is the environment variable that contains the key for --url. There is no
// flag for it because every user of the machine can read command lines.
const apiKeyVariable = "KINDEX_API_KEY" //nolint:gosec // a name, not a secret

func mcpCommand() *cobra.Command {
	var o mcpOptions
	c := &cobra.Command{
		Use: "mcp", Short: "Serve the index to AI agents (Model Context Protocol)",
		Long: `Mcp runs a Model Context Protocol server on stdin and stdout. Agents start the server
themselves if you add the command to their configuration. It has tools to search, read,
rank and compare entities, and to see what has changed.

Without --url it answers from the published build in --dir, switches to each new build
and does not count requests. With --url it queries that service, using the key in
--key-file or in the environment variable KINDEX_API_KEY, if any. Each tool call makes one
request to the service; compare makes one for each entity. Agents can also connect to a
service directly, at /mcp.

Stdout carries only the protocol; errors go to stderr. The server exits at the end of
stdin.`,
		Example: "  kindex mcp --dir .\n  kindex mcp --url https://index.example.org --key-file ~/.kindex-key",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runMCP(cmd, o) },
	}
	f := c.Flags()
	f.StringVar(&o.dir, "dir", ".", "the folder that build --out wrote")
	f.StringVar(&o.url, "url", "", "query the service at this address instead, such as https://index.example.org")
	f.StringVar(&o.keyFile, "key-file", "", "a file with the key for --url (default: the environment variable "+apiKeyVariable+")")
	return c
}

func runMCP(cmd *cobra.Command, o mcpOptions) error {
	switch {
	case o.url != "" && cli.OnCommandLine(cmd.Flags(), "dir"):
		return cli.Usage(errors.New("--dir and --url cannot be combined; see kindex mcp --help"))
	case o.url == "" && o.keyFile != "":
		return cli.Usage(errors.New("--key-file requires --url: the build in --dir needs no key; see kindex mcp --help"))
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if o.url != "" {
		return mcpOverHTTP(cmd, o, log)
	}
	return mcpOverBuild(cmd, o.dir, log)
}

// mcpOverHTTP serves agents by querying a running service.
func mcpOverHTTP(cmd *cobra.Command, o mcpOptions, log *slog.Logger) error {
	key, err := readAPIKey(o.keyFile)
	if err != nil {
		return err
	}
	client, err := mcp.NewClient(o.url, key)
	if err != nil {
		return cli.Usage(fmt.Errorf("--url: %w", err))
	}
	if key != "" && client.Exposed() {
		log.Warn("the key is sent unencrypted; use an https address", "url", o.url)
	}
	if err := client.Check(cmd.Context()); err != nil {
		return err
	}
	return serveStdio(cmd, mcp.New(client, mcp.Options{Version: version(), Log: log, Counted: true}))
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
		from, key = keyFile, string(data)
		if strings.TrimSpace(key) == "" {
			return "", fmt.Errorf("%s is empty; it must contain the key", from)
		}
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s does not contain exactly one key; a key is one word such as kx_…", from)
	}
	return key, nil
}

// mcpOverBuild serves agents from a build, through an edge that does not listen on any
// port. The edge does not count requests, and its state is temporary.
func mcpOverBuild(cmd *cobra.Command, dir string, log *slog.Logger) (failed error) {
	temporary, err := scratch.New("mcp")
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, temporary.Close()) }()
	st, err := storage.Open(cmd.Context(), filepath.Join(temporary.Path, operator.StateFile), storage.Options{})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, st.Close()) }()
	s, err := edge.New(edge.Options{Dir: dir, State: st, Log: log})
	if err != nil {
		return err
	}
	defer s.Close()
	follow, stop := context.WithCancel(cmd.Context())
	ended := make(chan struct{})
	go func() {
		s.Follow(follow)
		close(ended)
	}()
	defer func() {
		stop()
		<-ended
	}()
	return serveStdio(cmd, s.Agents())
}

// serveStdio serves an agent over stdin and stdout until stdin ends or the program is
// interrupted.
func serveStdio(cmd *cobra.Command, s *mcp.Server) error {
	return s.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
}
