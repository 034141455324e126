package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/exports/store"
	"kindex/indexes"
)

// release is set by the Makefile from the repository's state.
var release string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the versions of the program and its formats",
		Example: "  kindex version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "kindex %s\nbuilder %s, format %d, mapping %d, %s %s/%s\n", version(),
				builder.Version, store.FormatVersion, indexes.MappingVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
