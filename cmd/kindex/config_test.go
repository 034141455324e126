package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/suite"
	"kindex/cmd/kindex/config"
	"kindex/edge/edgetest"
)

// sampleValues are values other than the defaults: as YAML, and as the flag returns them.
var sampleValues = map[string][2]string{
	"bool": {"", ""}, "string": {"'sample text'", "sample text"}, "int": {"4711", "4711"}, "int64": {"4711", "4711"},
	"float64": {"0.25", "0.25"}, "duration": {"1h30m", "1h30m0s"},
	"stringSlice": {"[one, 'two, three']", `[one,"two, three"]`}, "stringArray": {"[one, 'two, three']", `[one,"two, three"]`},
}

// TestConfigEveryFlag checks that a configuration file can set every flag of every command, in
// the section of the command and above it, and that the command line wins.
func TestConfigEveryFlag(t *testing.T) {
	suite.WithoutRace(t)
	flags := 0
	visitCommands(newRoot(io.Discard, io.Discard), func(c *cobra.Command) {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "version" {
				return
			}
			flags++
			sample, known := sampleValues[f.Value.Type()]
			if !known {
				t.Errorf("%s --%s: the type %s is unknown to the test", c.CommandPath(), f.Name, f.Value.Type())
			}
			if f.Value.Type() == "bool" {
				other := fmt.Sprint(f.DefValue != "true")
				sample = [2]string{other, other}
			}
			text := fmt.Sprintf("%s: %s\n", f.Name, sample[0])
			if f.Name != "hosts" && f.Name != "report" { // their types differ between commands
				checkSetting(t, text, name, f.Name, sample[1])
			}
			parts := strings.Fields(name)
			for i := range parts {
				text = parts[len(parts)-1-i] + ":\n  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
			}
			checkSetting(t, text, name, f.Name, sample[1])
		})
	})
	if flags < 150 {
		t.Errorf("only %d flags", flags)
	}
}

func checkSetting(t *testing.T, text, command, flag, want string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kindex.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := config.Load(path, newRoot(io.Discard, io.Discard), configRules)
	if err != nil {
		t.Fatalf("%s%v", text, err)
	}
	for _, onLine := range []bool{false, true} {
		c, _, err := newRoot(io.Discard, io.Discard).Find(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		f := c.Flags().Lookup(flag)
		expected, from := want, config.FromFile
		if onLine {
			if err := c.ParseFlags([]string{"--" + flag + "=" + strings.Trim(f.DefValue, "[]")}); err != nil {
				t.Fatal(err)
			}
			expected, from = f.Value.String(), config.FromCommandLine
		}
		if err := file.Apply(c); err != nil {
			t.Fatalf("%s%v", text, err)
		}
		if origin, _ := config.OriginOf(f); f.Value.String() != expected || origin != from {
			t.Errorf("%s--%s of kindex %s is %s (%s), want %s (%s)", text, flag, command, f.Value, origin, expected, from)
		}
	}
}

// TestConfigDocumented checks the configuration file in operating.md.
func TestConfigDocumented(t *testing.T) {
	for _, b := range edgetest.Blocks(t, "site/docs/operating.md") {
		if b.Language != "yaml" {
			continue
		}
		path := filepath.Join(t.TempDir(), "kindex.yaml")
		if err := os.WriteFile(path, []byte(b.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := config.Load(path, newRoot(io.Discard, io.Discard), configRules)
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := newRoot(io.Discard, io.Discard).Find([]string{"serve"})
		if err := errors.Join(err, file.Apply(c)); err != nil {
			t.Fatal(err)
		}
		for flag, want := range map[string]string{"dir": "/var/lib/kindex", "cors-origins": "[https://app.example.org]", "drain": "30s", "content": "content"} {
			if got := c.Flags().Lookup(flag).Value.String(); got != want {
				t.Errorf("--%s is %s, want %s", flag, got, want)
			}
		}
		return
	}
	t.Error("operating.md has no configuration file")
}
