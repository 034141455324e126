package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Origin is where the value of a flag came from.
type Origin string

// The possible origins, in order of precedence.
const (
	FromCommandLine Origin = "flag"
	FromEnvironment Origin = "environment"
	FromFile        Origin = "file"
	FromDefault     Origin = "default"
)

// The annotations of a flag that was not set by the command line.
const (
	originAnnotation = "kindex_origin"
	detailAnnotation = "kindex_origin_detail"
)

// OriginOf returns where the value of a flag came from. detail is the name of the environment
// variable, or FILE:LINE.
func OriginOf(f *pflag.Flag) (o Origin, detail string) {
	switch given := f.Annotations[originAnnotation]; {
	case len(given) > 0:
		return Origin(given[0]), f.Annotations[detailAnnotation][0]
	case f.Changed:
		return FromCommandLine, ""
	}
	return FromDefault, ""
}

func annotate(f *pflag.Flag, o Origin, detail string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[originAnnotation], f.Annotations[detailAnnotation] = []string{string(o)}, []string{detail}
}

// Variable returns the name of the environment variable that sets a flag.
func Variable(flag string) string {
	return "KINDEX_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// ApplyEnvironment sets each flag of a command that is missing from the command line to the value
// of its KINDEX_ environment variable, if that variable is set.
func ApplyEnvironment(cmd *cobra.Command) (failed error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := Variable(f.Name)
		value, ok := os.LookupEnv(name)
		if f.Changed || !ok || !settable(f) && f.Name != Flag {
			return
		}
		err := cmd.Flags().Set(f.Name, value)
		annotate(f, FromEnvironment, name)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s=%q: %w", name, value, err)
		}
	})
	return failed
}

// Apply sets each flag of a command that neither the command line nor the environment has set.
func (l *File) Apply(cmd *cobra.Command) (failed error) {
	for c := cmd; c != nil; c = c.Parent() { // the nearest setting first
		for name, s := range l.settings[commandName(c)] {
			f := cmd.Flags().Lookup(name)
			if f == nil || f.Changed {
				continue
			}
			at := fmt.Sprintf("%s:%d", l.Path, s.line)
			err := set(f, s.value)
			annotate(f, FromFile, at)
			if err != nil && failed == nil {
				failed = fmt.Errorf("%s: %s %w", at, name, err) // only if Load did not check the value
			}
		}
	}
	return failed
}

const wantDuration = "must be a duration: a number with a unit, such as 90s, 15m or 24h"

// set sets a flag to a value from a file. The value must have the type of the flag: the string
// "true" is not a Boolean.
func set(f *pflag.Flag, value any) error {
	list, isList := value.([]any)
	if slice, ok := f.Value.(pflag.SliceValue); ok && isList {
		texts := make([]string, len(list))
		for i, v := range list {
			if texts[i], ok = v.(string); !ok {
				return fmt.Errorf("must be a list of texts: put entry %d in quotes", i+1)
			}
		}
		f.Changed = true
		return slice.Replace(texts)
	}
	text, err := valueText(f, value)
	if err != nil {
		return err
	}
	if err := f.Value.Set(text); err != nil {
		if f.Value.Type() == "duration" {
			err = errors.New(wantDuration)
		}
		return err
	}
	f.Changed = true
	return nil
}

// valueText returns a value in the form that the command line uses.
func valueText(f *pflag.Flag, value any) (string, error) {
	var want string
	switch kind := f.Value.Type(); kind {
	case "bool":
		if b, ok := value.(bool); ok {
			return strconv.FormatBool(b), nil
		}
		want = "must be true or false, without quotes"
	case "int", "int64", "float64":
		switch n := value.(type) {
		case int64:
			return strconv.FormatInt(n, 10), nil
		case float64:
			if kind == "float64" {
				return strconv.FormatFloat(n, 'g', -1, 64), nil
			}
		}
		want = "must be a whole number, without quotes"
		if kind == "float64" {
			want = "must be a number, without quotes"
		}
	default:
		if s, ok := value.(string); ok {
			return s, nil
		}
		want = "must be text; put it in quotes"
		if kind == "duration" {
			want = wantDuration
		}
	}
	return "", errors.New(want)
}
