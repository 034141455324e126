package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/content/yamldoc"
	"kindex/cmd/kindex/cli"
	"kindex/cmd/kindex/config"
	"kindex/cmd/kindex/operator"
	"kindex/edge/apikey"
	"kindex/edge/seal"
	"kindex/exports/jsonenc"
)

// configRules keep secrets out of configuration files.
var configRules = config.Rules{
	Elsewhere: map[string]string{
		"forge-token":          secretVariable(operator.ForgeToken),
		"api-key":              secretVariable(apiKeyVariable),
		"signin-github-secret": secretVariable("KINDEX_SIGNIN_GITHUB_SECRET"),
		"signin-oidc-secret":   secretVariable("KINDEX_SIGNIN_OIDC_SECRET"),
		"github-token":         secretVariable("GITHUB_TOKEN"),
		"hf-token":             secretVariable("HF_TOKEN"),
	},
	Secret: secretIn,
}

func secretVariable(name string) string {
	return "secrets do not belong in this file; set the environment variable " + name
}

// userInfo matches the user and password in an address, and secretParameter a secret in its query.
var (
	userInfo        = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)://([^/?#@\s]*)@`)
	secretParameter = regexp.MustCompile(`(?i)[?&](ssl)?(password|passwd|token|access_token|secret|api_?key)=`)
)

// secretIn returns what is wrong with the value of a flag that contains a secret, or "".
func secretIn(flag, value string) string {
	const problem = "contains a secret, which does not belong in this file; "
	if strings.Contains(value, apikey.Prefix) {
		return problem + "use --key-file, or set the environment variable " + apiKeyVariable
	}
	if flag == "operator-key" {
		if _, err := seal.Parse(value); err == nil {
			return problem + "write the key to a file and name the file here"
		}
	}
	found := secretParameter.MatchString(value)
	for _, m := range userInfo.FindAllStringSubmatch(value, -1) {
		found = found || strings.Contains(m[2], ":") || strings.HasPrefix(strings.ToLower(m[1]), "http")
	}
	switch {
	case !found:
		return ""
	case flag == "state" || strings.Contains(value, "postgres"):
		return problem + "set the environment variable PGPASSWORD, name a password file in PGPASSFILE, or set " + config.Variable(flag)
	}
	return problem + "set the environment variable " + config.Variable(flag)
}

// applySettings sets the flags that are missing from the command line from the environment or the
// configuration file.
func applySettings(cmd *cobra.Command) error {
	if err := config.ApplyEnvironment(cmd); err != nil {
		return cli.Usage(err)
	}
	file, err := configFile(cmd)
	if err != nil {
		return err
	}
	if err := file.Apply(cmd); err != nil {
		return err
	}
	if asJSON, err := cmd.Flags().GetBool("json"); err == nil && asJSON {
		cli.SetPlain(cmd.OutOrStdout())
		cli.SetPlain(cmd.ErrOrStderr())
	}
	return nil
}

// configFile reads the configuration file of a command; without one, it returns an empty file.
func configFile(cmd *cobra.Command) (*config.File, error) {
	path, err := cmd.Flags().GetString(config.Flag)
	if path == "" || err != nil {
		return &config.File{}, err
	}
	file, err := config.Load(path, newRoot(cmd.OutOrStdout(), cmd.ErrOrStderr()), configRules)
	var problems yamldoc.Problems
	switch {
	case errors.As(err, &problems):
		cli.PrintProblems(cmd.ErrOrStderr(), problems)
		return nil, cli.Quiet(cli.ExitUsage)
	case err != nil:
		return nil, cli.Usage(err)
	}
	return file, nil
}

func configCommand() *cobra.Command {
	var asJSON, template bool
	c := &cobra.Command{
		Use: "config [COMMAND [FLAG...]]", Short: "Show the effective settings, and where each comes from",
		Long: `Config lists the settings of all commands that are not defaults. Given a command, it
lists the value of each flag of that command. It also shows where each value comes from:
the command line, the environment, the configuration file or the default. Flags after
the command are parsed as its flags, but the command does not run.

A configuration file is YAML, with a section of flags for each command. A flag outside
all sections applies to every command that has it.

  content: /srv/content
  serve:
    addr: 127.0.0.1:8080
    limit-anonymous: 50
    cors-origins: [https://app.example.org]
  keys: {list: {all: true}}

The file is read only if --config or KINDEX_CONFIG names it; kindex never searches for
one. Unknown names and values of the wrong type are errors. So are secrets, which do not
belong in the file. --template prints a file with every flag, all commented out.`,
		Example: `  kindex config --template > kindex.yaml
  kindex config --config kindex.yaml
  kindex config serve --addr 127.0.0.1:9000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if template {
				return config.WriteTemplate(cmd.OutOrStdout(), newRoot(cmd.OutOrStdout(), cmd.ErrOrStderr()))
			}
			return runConfig(cmd, args, asJSON)
		},
	}
	c.Flags().SetInterspersed(false)
	c.Flags().BoolVar(&template, "template", false, "print a configuration file with all flags, commented out")
	cli.JSONFlag(c.Flags(), &asJSON)
	return c
}

// effectiveValue is the value of a flag. kindex config --json prints a list of them.
type effectiveValue struct {
	Command string                 `json:"command"`
	Flag    string                 `json:"flag"`
	Value   any                    `json:"value"` // null if it is secret
	From    config.Origin          `json:"from"`
	Where   jsonenc.OptionalString `json:"where"` // the variable, or FILE:LINE
}

func runConfig(cmd *cobra.Command, args []string, asJSON bool) error {
	file, err := configFile(cmd)
	if err != nil {
		return err
	}
	root := newRoot(cmd.OutOrStdout(), cmd.ErrOrStderr())
	list := []effectiveValue{}
	if len(args) == 0 {
		visitCommands(root, func(c *cobra.Command) {
			if err = cmp.Or(err, config.ApplyEnvironment(c), file.Apply(c)); !c.Hidden && c.Parent().Name() != "completion" {
				list = append(list, effectiveValues(c, false)...)
			}
		})
		if err != nil {
			return cli.Usage(err)
		}
	} else if list, err = valuesForCommand(cmd, root, args, file); err != nil {
		return err
	}
	if asJSON {
		return cli.PrintIndentedJSON(cmd.OutOrStdout(), list)
	}
	printEffective(cmd, list)
	return nil
}

// visitCommands calls visit for all commands below c.
func visitCommands(c *cobra.Command, visit func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		visit(sub)
		visitCommands(sub, visit)
	}
}

// valuesForCommand returns the values of a command's flags as if it were run with args.
func valuesForCommand(cmd, root *cobra.Command, args []string, file *config.File) ([]effectiveValue, error) {
	c, rest, err := root.Find(args)
	switch {
	case err != nil:
		return nil, cli.Usage(err)
	case c == root:
		return nil, cli.NoSuchCommand(root, rest)
	}
	if err := c.ParseFlags(rest); err != nil {
		return nil, c.FlagErrorFunc()(c, err)
	}
	if cli.OnCommandLine(c.Flags(), config.Flag) {
		c.SetErr(cmd.ErrOrStderr())
		if file, err = configFile(c); err != nil {
			return nil, err
		}
	}
	if err := cmp.Or(config.ApplyEnvironment(c), file.Apply(c)); err != nil {
		return nil, cli.Usage(err)
	}
	return effectiveValues(c, true), nil
}

// effectiveValues returns the values of a command's own flags, with or without defaults.
func effectiveValues(c *cobra.Command, defaults bool) (list []effectiveValue) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if e := newEffectiveValue(c, f); (defaults || e.From != config.FromDefault) && f.Name != "help" && f.Name != "version" {
			list = append(list, e)
		}
	})
	return list
}

func newEffectiveValue(c *cobra.Command, f *pflag.Flag) effectiveValue {
	from, where := config.OriginOf(f)
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	e := effectiveValue{Command: name, Flag: f.Name, Value: f.Value.String(), From: from, Where: jsonenc.OptionalString(where)}
	if slice, ok := f.Value.(pflag.SliceValue); ok {
		e.Value = append([]string{}, slice.GetSlice()...)
	}
	switch f.Value.Type() {
	case "bool":
		e.Value = f.Value.String() == "true"
	case "int", "int64", "float64":
		e.Value = json.Number(f.Value.String())
	}
	if secretIn(f.Name, f.Value.String()) != "" {
		e.Value = nil
	}
	return e
}

func printEffective(cmd *cobra.Command, list []effectiveValue) {
	if len(list) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "all flags have their default values; to list the flags of a command, run: kindex config COMMAND")
		return
	}
	rows := [][]string{{"COMMAND", "FLAG", "VALUE", "FROM"}}
	for _, e := range list {
		value := "(secret)"
		switch v := e.Value.(type) {
		case []string:
			value = cli.OrDash(strings.Join(v, ","))
		case string:
			value = v
			if v == "" || strings.ContainsAny(v, " \t\n") {
				value = strconv.Quote(v)
			}
		case bool, json.Number:
			value = fmt.Sprint(v)
		}
		from := string(e.From)
		if e.Where != "" {
			from += " " + string(e.Where)
		}
		rows = append(rows, []string{e.Command, "--" + e.Flag, value, from})
	}
	cli.PrintTable(cmd, rows)
}
