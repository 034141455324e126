package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
)

// TestSnapshotsAreFormatted formats the converted public collections, if they exist next to
// the repository. No file may be refused, and a second run must change nothing.
func TestSnapshotsAreFormatted(t *testing.T) {
	shared := suite.Collections(t)
	for converter, snapshot := range map[string]string{
		"csv2yaml.py": "best-of/2024-06-06.csv.gz", "models2yaml.py": "models-dev/models-2026-06-24.json",
	} {
		t.Run(converter, func(t *testing.T) {
			snapshot = filepath.Join(shared, "data", filepath.FromSlash(snapshot))
			dir := t.TempDir()
			cmd := exec.Command("python3", filepath.Join(shared, "tools", converter), snapshot, dir)
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var out, problems bytes.Buffer
			if code := run(context.Background(), []string{"fmt", dir}, &out, &problems); code != cli.ExitOK || problems.Len() > 0 {
				t.Fatalf("exit code %d\n%.2000s", code, problems.String())
			}
			if strings.Count(out.String(), "\n") < 5 {
				t.Errorf("too few files changed:\n%s", out.String())
			}
			out.Reset()
			if code := run(context.Background(), []string{"fmt", "--check", dir}, &out, &problems); code != cli.ExitOK {
				t.Errorf("second run: exit code %d\n%.2000s%.2000s", code, out.String(), problems.String())
			}
		})
	}
}
