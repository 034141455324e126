package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/sign"
)

// bucketHelp explains the addresses of buckets.
const bucketHelp = `An address is file:FOLDER, or s3://BUCKET/PREFIX for any S3-compatible object storage.
Credentials for S3 come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or from
~/.aws/credentials, the server from AWS_ENDPOINT_URL, and the region from AWS_REGION.`

func publishCommand() *cobra.Command {
	var o mirror.PublishOptions
	var to bucket.Bucket
	c := &cobra.Command{
		Use: "publish --to ADDRESS", Short: "Publish the current build in a folder or in object storage",
		Long: `Publish copies the published build of an output folder to a bucket, from which other
machines pull it; only what is not there is written. It never overwrites another
publisher's build. With --sign, readers can check who published it (kindex pull
--verify-key). See site/docs/scaling.md.

` + bucketHelp,
		Example: `  kindex publish --to file:/srv/builds
  kindex publish --to file:/srv/builds --sign builds.key
  AWS_ENDPOINT_URL=https://s3.example.org kindex publish --from /srv/kindex --to s3://builds/index`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			bar := newProgress(cmd.ErrOrStderr())
			o.Progress = bar.step
			r, err := mirror.Publish(cmd.Context(), to, o)
			if bar.finish(); err != nil {
				return err
			}
			return cli.Print(cmd, r, func(w io.Writer) { printPublished(w, r, to) })
		},
	}
	f := c.Flags()
	cli.Var(f, &to, "to", "address", "", "the address of the bucket", bucket.Open)
	f.StringVar(&o.Dir, "from", ".", "the output folder of kindex build")
	cli.Var(f, &o.Key, "sign", "file", "", "sign the build with the key in this file, which kindex sign init created", sign.LoadKey)
	f.BoolVar(&o.Dirty, "dirty", false, "also publish a build from content that was not committed")
	cli.JSONFlag(c)
	return c
}

func printPublished(w io.Writer, r *mirror.PublishResult, b bucket.Bucket) {
	if r.Unchanged {
		fmt.Fprintf(w, "%s is already published at %s\n", r.Build, b)
	} else {
		fmt.Fprintf(w, "published %s at %s\n%s, %s; uploaded %s in %s, the others were there already\n",
			r.Build, b, plural.Count(r.Files, "file", "files"), megabytes(r.Bytes), megabytes(r.Uploaded), plural.Count(r.Sent, "file", "files"))
	}
	printSignature(w, r.Signature)
	if !r.Unchanged && r.PreviousKey != "" {
		fmt.Fprintf(w, "warning: the build is not signed, but the previous build was signed with %s: readers with --verify-key will refuse it; publish it again with --sign\n", r.PreviousKey)
	}
	if r.Newer != "" {
		fmt.Fprintf(w, "warning: the build is older than the previous build, %s: readers that have that one will refuse it without --allow-older; build again and publish the new build\n", r.Newer)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func pruneCommand() *cobra.Command {
	var o mirror.PruneOptions
	c := &cobra.Command{
		Use: "prune ADDRESS", Short: "Remove old builds from a folder or from object storage",
		Long: `Prune removes all builds except the newest ones from a bucket, but never the published
build or anything newer than --grace, so it can run while others publish and pull.

` + bucketHelp,
		Example: "  kindex prune s3://builds/index --keep 10",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := bucket.Open(args[0])
			if err != nil {
				return cli.Usage(err)
			}
			r, err := mirror.Prune(cmd.Context(), b, o)
			if err != nil {
				return err
			}
			return cli.Print(cmd, r, func(w io.Writer) {
				fmt.Fprintf(w, "removed %s and %s, %s; kept %s\n", plural.Count(len(r.Builds), "build", "builds"),
					plural.Count(r.Files, "file", "files"), megabytes(r.Bytes), plural.Count(r.Kept, "build", "builds"))
			})
		},
	}
	f := c.Flags()
	keepFlag(f, &o.Keep, 5, "how many builds to keep")
	f.DurationVar(&o.Grace, "grace", 24*time.Hour, "keep everything younger than this")
	cli.AtLeast(f, &o.Grace, "grace", mirror.MinGrace)
	cli.JSONFlag(c)
	return c
}
