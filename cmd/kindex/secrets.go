package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"kindex/builder/gitlog"
	"kindex/exports/safetext"
)

// warnOfSecrets prints a warning if git tracks a key or a database of the service. An error is no reason
// not to serve or build, so it is printed too.
func warnOfSecrets(ctx context.Context, w io.Writer, dir string) {
	found, err := gitlog.TrackedSecrets(ctx, dir)
	if err != nil {
		fmt.Fprintf(w, "warning: could not check whether git tracks keys or databases: %v\n", err)
	}
	if len(found) == 0 {
		return
	}
	for i, name := range found {
		found[i] = safetext.Printable(name)
	}
	fmt.Fprintf(w, "warning: git tracks %s: keys and databases are secret. Run git rm --cached for each, list it in .gitignore, "+
		"and replace the keys in it if the repository was ever shared, because git keeps its earlier versions.\n", strings.Join(found, ", "))
}
