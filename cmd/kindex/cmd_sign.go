package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/sumdb/note"

	"kindex/cmd/kindex/cli"
	"kindex/exports/sign"
)

func signCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "sign", Short: "Create keys for signing builds",
		Long: `Sign creates the key with which kindex publish --sign signs builds, and prints the
verifier key with which others check them: kindex pull --verify-key and kindex serve
--from --verify-key.`,
	}, signInitCommand(), signShowCommand())
}

func signInitCommand() *cobra.Command {
	out, name := "kindex-signing.key", "kindex-builds"
	c := &cobra.Command{
		Use: "init", Short: "Create a key",
		Long: `Init writes a new Ed25519 key to a file that only you can read, in the format of signed
notes (https://c2sp.org/signed-note), and prints its verifier key. Whoever has the file
can sign builds in your name: keep it secret, and keep a copy, because without it you
need a new key. Give the verifier key to those who pull your builds, in a way that does
not depend on the bucket.`,
		Example: "  kindex sign init --out builds.key --name builds.example.org/index",
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := sign.CreateKey(out, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "created %s; its verifier key, for kindex pull --verify-key, is:\n", out)
			fmt.Fprintln(cmd.OutOrStdout(), key.Public)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&out, "out", out, "the file to create")
	f.StringVar(&name, "name", name, "the key's name, which should be an address that you control, without https://")
	return c
}

func signShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show FILE", Short: "Print the verifier key of a signing key",
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := sign.LoadKey(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), key.Public)
			return nil
		},
	}
}

func verifyKeyFlag(f *pflag.FlagSet, verifiers *[]note.Verifier, usage string) {
	cli.ListVar(f, verifiers, "verify-key", "keys", usage+": a verifier key, or a file that contains one; may be repeated", sign.ParseVerifier)
}

func printSignature(w io.Writer, s *sign.Signature) {
	if s != nil {
		fmt.Fprintf(w, "signed with %s: number %d\n", s.Key, s.Counter)
	}
}
