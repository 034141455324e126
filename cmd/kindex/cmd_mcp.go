package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"kindex/builder/scratch"
	"kindex/cmd/kindex/operator"
	"kindex/edge"
	"kindex/edge/mcp"
	"kindex/edge/storage"
)

func mcpCommand() *cobra.Command {
	var o serviceOptions
	c := &cobra.Command{
		Use: "mcp", Short: "Serve the index to AI agents (Model Context Protocol)",
		Long: `Mcp runs a Model Context Protocol server on stdin and stdout, with tools to search, read,
rank and compare entities, and to see what has changed. Without --url it answers from the
published build in --dir; with --url it queries that service, with the key in --key-file
or KINDEX_API_KEY. Agents can also connect to a service directly, at /mcp. See
site/docs/agents.md.`,
		Example: "  kindex mcp --dir .\n  kindex mcp --url https://index.example.org --key-file ~/.kindex-key",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runMCP(cmd, o) },
	}
	o.flags(c.Flags())
	return c
}

func runMCP(cmd *cobra.Command, o serviceOptions) error {
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	client, err := o.client(cmd)
	if err != nil {
		return err
	}
	if client == nil {
		return mcpOverBuild(cmd, o.dir, log)
	}
	if err := client.Check(cmd.Context()); err != nil {
		return err
	}
	return mcp.New(client, mcp.Options{Version: version(), Log: log, Counted: true}).Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
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
	follow, stop := context.WithCancel(cmd.Context())
	var following sync.WaitGroup
	following.Go(func() { s.Follow(follow) })
	defer following.Wait()
	defer stop()
	return s.Agents().Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
}
