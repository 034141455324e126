package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"kindex/builder/suite"
	"kindex/cmd/kindex/operator"
	"kindex/edge/storage"
	"kindex/edge/submission"
)

// withoutReport lists the commands that have no --json, and why.
var withoutReport = map[string]string{
	"serve":  "runs until it is stopped; --log-format json is its report",
	"mcp":    "its output is a protocol",
	"schema": "its output is a JSON Schema",
	"man":    "writes manual pages",
	"help":   "its output is for people",

	"sign init": "its output is one verifier key",
	"sign show": "its output is one verifier key",
}

// jsonCalls call each command that prints a report, in an order in which each has something to
// report. The number is the exit code.
var jsonCalls = []struct {
	code int
	args string
}{
	{0, "init new --json"},
	{0, "new tool hammer --name Hammer --category tools --description Drives_nails. --json"},
	{0, "import list.csv --guess --map guess.yaml --type tool --json"},
	{1, "import list.csv --map list.yaml --json"},
	{0, "import list.csv --map list.yaml --update --json --rejects rejects.csv"},
	{1, "fmt --check --json content"},
	{0, "fmt --json content"},
	{0, "validate --json"},
	{0, "boards --json --as-of 2026-06-01"},
	{1, "check stale --json --as-of 2026-06-01"},
	{0, "check links tool/hammer --json"},
	{0, "collect tool/hammer --source pypi --offline --cache cache --json"},
	{0, "build --json --as-of 2026-06-01"},
	{0, "verify --content content --json"},
	{0, "show tool/hammer --json"},
	{0, "search hammer --json"},
	{0, "history --json"},
	{0, "diff --json --as-of 2026-06-01"},
	{0, "audit requirements.txt --json --as-of 2026-06-01"},
	{0, "version --json"},
	{0, "publish --to file:depot --dirty --json"},
	{0, "pull file:depot copy --json"},
	{0, "prune file:depot --json"},
	{0, "keys create --account ada --json"},
	{0, "keys list --json"},
	{0, "keys revoke KEY --json"},
	{0, "accounts list --json"},
	{0, "accounts limit ada 5 --json"},
	{0, "accounts suspend ada --json"},
	{0, "accounts suspend ada --undo --json"},
	{0, "accounts log ada --json"},
	{0, "submissions list --json"},
	{0, "submissions show sub_aaaaaaaaaaaaaaaaaaaa --json"},
	{0, "submissions accept sub_aaaaaaaaaaaaaaaaaaaa --json"},
	{0, "submissions reject sub_bbbbbbbbbbbbbbbbbbbb --reason Advertising. --json"},
	{0, "submissions sync --json"},
	{0, "state check --json"},
	{0, "state backup backup.db --json"},
	{0, "state migrate --json"},
	{0, "state copy --from backup.db --to other.db --json"},
	{0, "state rekey --json"},
}

// TestJSON checks that every command with a report has --json, prints exactly one JSON value with
// it, and that cli.md lists the members of the value.
func TestJSON(t *testing.T) {
	suite.InTest(t)
	documented := documentedJSON(t)
	missing := map[string]bool{}
	visitCommands(newRoot(io.Discard, io.Discard), func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "kindex ")
		has := c.Flags().Lookup("json") != nil
		switch {
		case c.HasSubCommands() || strings.HasPrefix(name, "completion"):
		case has == (withoutReport[name] != ""):
			t.Errorf("kindex %s: --json is %v; without a report, add the reason to withoutReport", name, has)
		case has && documented[name].required == nil:
			t.Errorf("cli.md does not describe the JSON of kindex %s", name)
		}
		missing[name] = has
	})
	for name := range documented {
		if command, _, _ := strings.Cut(name, " --"); !missing[command] {
			t.Errorf("cli.md describes the JSON of kindex %s, which has none", name)
		}
	}
	key := prepareJSON(t)
	for _, call := range jsonCalls {
		args := strings.Fields(strings.Replace(call.args, "KEY", *key, 1))
		c, _, err := newRoot(io.Discard, io.Discard).Find(args)
		suite.Check(t, err)
		name := strings.TrimPrefix(c.CommandPath(), "kindex ")
		delete(missing, name)
		var out, problems bytes.Buffer
		if code := run(t.Context(), args, &out, &problems); code != call.code {
			t.Errorf("kindex %s: exit code %d, want %d\n%s%s", call.args, code, call.code, out.Bytes(), problems.Bytes())
			continue
		}
		members := oneValue(t, call.args, out.Bytes())
		row := name
		if strings.Contains(call.args, "--guess") {
			row += " --guess"
		}
		documented[row].check(t, call.args, members)
		if name == "keys create" {
			var created struct{ ID, Key string }
			if err := json.Unmarshal(out.Bytes(), &created); err != nil || !strings.HasPrefix(created.Key, "kx_") || !strings.HasPrefix(created.ID, "key_") {
				t.Errorf("%v %+v", err, created)
			}
			*key = created.ID
		}
	}
	for name, has := range missing {
		if has {
			t.Errorf("no call of kindex %s", name)
		}
	}
}

// documentedMembers are the members of a JSON value that cli.md lists. If required is empty, the
// value is described elsewhere.
type documentedMembers struct{ required, optional []string }

func (d documentedMembers) check(t *testing.T, call string, members []string) {
	t.Helper()
	for _, name := range d.required {
		if members != nil && !slices.Contains(members, name) {
			t.Errorf("kindex %s: cli.md lists %s; the value has %s", call, name, strings.Join(members, " "))
		}
	}
	for _, name := range members {
		if len(d.required) > 0 && !slices.Contains(d.required, name) && !slices.Contains(d.optional, name) {
			t.Errorf("kindex %s: cli.md does not list %s", call, name)
		}
	}
}

// documentedJSON returns the rows of the table in cli.md. Members after "sometimes" are optional.
func documentedJSON(t *testing.T) map[string]documentedMembers {
	t.Helper()
	_, table, _ := strings.Cut(readText(t, "../../site/docs/cli.md"), "\n## JSON\n")
	documented := map[string]documentedMembers{}
	name := regexp.MustCompile("`(\\w+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| `kindex ([a-z -]+)` \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		always, sometimes, _ := strings.Cut(row[2], " sometimes ")
		d := documentedMembers{required: []string{}}
		for _, m := range name.FindAllStringSubmatch(always, -1) {
			d.required = append(d.required, m[1])
		}
		for _, m := range name.FindAllStringSubmatch(sometimes, -1) {
			d.optional = append(d.optional, m[1])
		}
		documented[row[1]] = d
	}
	return documented
}

// oneValue returns the members of the only JSON value in a command's output, or those of the
// entries if it is a list; nil if the list is empty.
func oneValue(t *testing.T, call string, out []byte) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(out))
	var value any
	if err := dec.Decode(&value); err != nil {
		t.Errorf("kindex %s: %v\n%s", call, err, out)
		return nil
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("kindex %s: more than one value (%v)\n%s", call, err, out)
	}
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	return slices.Sorted(maps.Keys(object))
}

// prepareJSON prepares the folder in which the jsonCalls run. It returns the key ID that replaces KEY.
func prepareJSON(t *testing.T) (key *string) {
	t.Helper()
	t.Chdir(t.TempDir())
	suite.Write(t, ".", map[string]string{
		"content/tool/saw.yaml": "name: Saw\ncategory: tools\ndescription:   Cuts wood.\nsignals:\n  stars: {value: 5, date: 2020-01-01, source: https://example.org/saw}\n",
		"content/boards.yaml":   "boards:\n  - {slug: saws, title: Saws, description: All tools., type: tool}\n",
		"list.csv":              "name,kind,about\nDrill,tools,Makes holes.\nSaw,,Cuts.\n",
		"list.yaml":             "source: {name: A list, url: https://example.org/list, license: CC0-1.0, date: 2026-05-01}\ntype: tool\nfields:\n  name: name\n  category: kind\n  description: about\n",
		"requirements.txt":      "saw==1.0\n",
	})
	gitIn(t, ".", "init", "-q", "-b", "main")
	gitIn(t, ".", "add", "content")
	gitIn(t, ".", "commit", "-q", "-m", "A saw")
	for _, v := range programEnvironment {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	suite.Check(t, os.WriteFile("kindex.key", []byte("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"), 0o600))
	s := suite.Must(storage.Open(context.Background(), operator.StateFile, storage.Options{}))(t)
	defer s.Close()
	suite.Check(t, s.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount("bob")
		for _, slug := range []string{"a", "b"} {
			if err == nil {
				_, err = tx.CreateSubmission(submission.Submission{ID: "sub_" + strings.Repeat(slug, 20), AccountID: a.ID, Type: "tool", Slug: slug, Name: "Tool " + slug,
					YAML: "name: Tool " + slug + "\ncategory: tools\ndescription: Does something.\n"})
			}
		}
		return err
	}))
	return new(string)
}
