package main

import (
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/cmd/kindex/cli"
)

func schemaCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "schema [" + strings.Join(schema.Names, "|") + "]", Short: "Print the JSON Schema for a kind of content file",
		Long: `Schema prints the JSON Schema (draft 2020-12) for a kind of content file, with the kinds
and fields that kinds.yaml in the content folder declares. Editors
with the YAML language server use it if a file starts with the line
# yaml-language-server: $schema=PATH`,
		Example:   "  kindex schema entity > entity.schema.json",
		ValidArgs: schema.Names,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "entity"
			if len(args) == 1 {
				name = args[0]
			}
			declared, err := content.ReadKinds(dir)
			if err != nil {
				return err
			}
			data, err := schema.JSON(name, declared)
			if err != nil {
				return cli.Usage(cli.UnknownChoice("schema", name, schema.Names))
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
	c.Flags().StringVar(&dir, "content", "content", "the content folder")
	return c
}
