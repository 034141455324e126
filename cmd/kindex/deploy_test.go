package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/pflag"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
)

// TestDeployCommands checks that the program can parse the commands and variables that the manifests
// start edges with, and that an edge is given enough time to stop. TestFleet runs the other commands,
// which are in scripts.
func TestDeployCommands(t *testing.T) {
	suite.InTest(t)
	for file, gracePeriod := range map[string]string{"compose.yaml": "stop_grace_period: 40s", "kubernetes/edge.yaml": "terminationGracePeriodSeconds: 40"} {
		text, found := readText(t, filepath.Join(deployFolder, filepath.FromSlash(file))), 0
		for _, document := range strings.Split(text, "\n---\n") {
			var v any
			if err := yaml.Unmarshal([]byte(document), &v); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			walk(v, func(o map[string]any) {
				args := slices.Concat(words(o["command"]), words(o["args"]))
				if len(args) == 0 || args[0] != "serve" {
					return
				}
				found++
				f := checkServe(t, file, args[1:], o)
				drain, err := f.GetDuration("drain")
				delay, err2 := f.GetDuration("drain-delay")
				if err != nil || err2 != nil || delay < 2*time.Second || delay+drain+10*time.Second > 40*time.Second {
					t.Errorf("%s: an edge that stops accepts requests for %v and answers them for %v; it is killed after 40s", file, delay, drain)
				}
			})
		}
		if file == "compose.yaml" {
			checkSigningVariable(t)
		}
		if found != 1 || !strings.Contains(text, gracePeriod) {
			t.Errorf("%s has %d commands that start edges, want 1, and %q", file, found, gracePeriod)
		}
	}
}

// checkSigningVariable checks that the program has a flag for the variable in compose.signing.yaml.
func checkSigningVariable(t *testing.T) {
	t.Helper()
	var v any
	suite.Check(t, yaml.Unmarshal([]byte(readText(t, filepath.Join(deployFolder, "compose.signing.yaml"))), &v))
	found := false
	walk(v, func(o map[string]any) {
		_, ok := o[cli.Variable("verify-key")]
		found = found || ok
	})
	if !found || serveCommand().Flags().Lookup("verify-key") == nil {
		t.Error("compose.signing.yaml does not set --verify-key of edges")
	}
}

// checkServe parses the arguments and the variables of an edge.
func checkServe(t *testing.T, file string, args []string, o map[string]any) *pflag.FlagSet {
	t.Helper()
	c := serveCommand()
	if err := c.ParseFlags(args); err != nil {
		t.Errorf("%s: kindex serve %s: %v", file, args, err)
	}
	if c.Flags().NArg() > 0 {
		t.Errorf("%s: kindex serve takes no arguments, but has %v", file, c.Flags().Args())
	}
	known := map[string]bool{}
	c.Flags().VisitAll(func(f *pflag.Flag) { known[cli.Variable(f.Name)] = true })
	var names []string
	walk(o, func(o map[string]any) {
		for name := range o {
			names = append(names, name)
		}
		names = append(names, fmt.Sprint(o["name"]))
	})
	seen := 0
	for _, name := range names {
		if strings.HasPrefix(name, "KINDEX_") {
			seen++
			if !known[name] {
				t.Errorf("%s: kindex serve has no flag for %s", file, name)
			}
		}
	}
	if seen < 2 {
		t.Errorf("%s sets only %d flags by variables", file, seen)
	}
	return c.Flags()
}

// words returns a list of strings, or nil.
func words(v any) (list []string) {
	all, _ := v.([]any)
	for _, w := range all {
		list = append(list, fmt.Sprint(w))
	}
	return list
}

// walk calls visit for each object in a value of YAML.
func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, member := range v {
			walk(member, visit)
		}
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	}
}
