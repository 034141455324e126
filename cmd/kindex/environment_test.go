package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/edge/edgetest"
	"kindex/exports/sign"
)

// visitCommands calls visit for all commands below c.
func visitCommands(c *cobra.Command, visit func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		visit(sub)
		visitCommands(sub, visit)
	}
}

// TestEnvironmentEveryFlag checks that a variable can set every flag of every command, and that
// the command line wins.
func TestEnvironmentEveryFlag(t *testing.T) {
	suite.WithoutRace(t)
	file := filepath.Join(t.TempDir(), "key")
	key := suite.Must(sign.CreateKey(file, "example.org"))(t)
	samples := map[string][2]string{"int": {"47", "47"}, "int64": {"47", "47"}, "float64": {"0.25", "0.25"}, "duration": {"90m", "1h30m0s"},
		"stringSlice": {"one,two", "[one,two]"}, "stringArray": {"one,two", `["one,two"]`}}
	for kind, sample := range map[string]string{"string": "sample", "address": "file:" + t.TempDir(), "choice": "json", "day": "2026-03-01", "days": "9d",
		"endpoints": "npm=http://127.0.0.1", "expiry": "90d", "file": file, "keys": key.Public, "name": "sample", "names": "sample",
		"networks": "10.0.0.0/8", "prefixes": "64:ff9b::/96", "text": "sample", "time": "2026-03-01", "url": "https://example.org", "window": "90m"} {
		samples[kind] = [2]string{sample, sample}
	}
	flags := 0
	visitCommands(newRoot(io.Discard, io.Discard), func(c *cobra.Command) {
		_, command, _ := strings.Cut(c.CommandPath(), " ")
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "version" {
				return
			}
			flags++
			sample := samples[f.Value.Type()]
			if f.Name == "status" {
				sample = [2]string{"pending", "pending"}
			}
			if f.Value.Type() == "bool" {
				other := fmt.Sprint(f.DefValue != "true")
				sample = [2]string{other, other}
			}
			t.Setenv(cli.Variable(f.Name), sample[0])
			for _, onLine := range []bool{false, true} {
				fresh, _, err := newRoot(io.Discard, io.Discard).Find(strings.Fields(command))
				suite.Check(t, err)
				got, want := fresh.Flags().Lookup(f.Name), sample[1]
				if onLine {
					suite.Check(t, fresh.ParseFlags([]string{"--" + f.Name + "=" + strings.Trim(f.DefValue, "[]")}))
					want = got.Value.String()
				}
				suite.Check(t, cli.ApplyEnvironment(fresh))
				if got.Value.String() != want || cli.OnCommandLine(fresh.Flags(), f.Name) != onLine {
					t.Errorf("%s: --%s of kindex %s is %s, want %s", cli.Variable(f.Name), f.Name, command, got.Value, want)
				}
			}
			_ = os.Unsetenv(cli.Variable(f.Name)) // t restores it; other flags must not see it
		})
	})
	if flags < 150 {
		t.Errorf("only %d flags", flags)
	}
}

// TestEnvironmentFile checks that every line of the environment file in operating.md sets a flag
// of kindex serve, which the systemd unit starts with such a file.
func TestEnvironmentFile(t *testing.T) {
	c, lines := serveCommand(), 0
	for _, b := range edgetest.Blocks(t, "site/docs/operating.md") {
		if !strings.HasPrefix(b.Text, "KINDEX_URL=") {
			continue
		}
		for line := range strings.Lines(b.Text) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			t.Setenv(name, value)
			flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "KINDEX_"), "_", "-"))
			if lines++; c.Flags().Lookup(flag) == nil {
				t.Errorf("kindex serve has no flag for %s", name)
			}
		}
	}
	if err := cli.ApplyEnvironment(c); err != nil || lines < 3 {
		t.Errorf("%d lines: %v", lines, err)
	}
	if got := c.Flags().Lookup("url").Value.String(); got != "https://index.example.org" || !strings.Contains(readText(t, unit), "EnvironmentFile=-/etc/kindex/kindex.env\n") {
		t.Errorf("--url is %s", got)
	}
}
