package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
)

// The patterns used in the schemas.
const (
	slugPattern   = "^[a-z0-9]+(-[a-z0-9]+)*$"
	urlPattern    = "^https?://[^\\s/?#@]+([/?#][^\\s]*)?$"
	dayPattern    = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
	monthPattern  = "^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$"
	periodPattern = "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"
	entityPattern = "^[a-z][a-z0-9]*(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$"
	linePattern   = "^[^\\x00-\\x1f\\x7f-\\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$"
	formerPattern = "^([a-z][a-z0-9]*(-[a-z0-9]+)*/)?[a-z0-9]+(-[a-z0-9]+)*$"
	valuePattern  = "^[a-z][a-z0-9-]*/[a-z0-9-]+:[A-Za-z][^:\\s]*$"
	// Used only in collect.yaml.
	documentPattern = "^https://[^\\s]+$"
	declinedPattern = "^([a-z][a-z0-9-]*:|[a-z][a-z0-9-]*/)[^\\s]+$"
	// Used only in index.yaml.
	servicePattern    = "^https?://[^\\s/?#@]+(/[^\\s?#]*)?$"
	repositoryPattern = "^https?://[^\\s/?#@]+(/[^\\s/?#]+)+/?$"
	pagePattern       = "^https?://[^\\s/?#@]+/[^\\s]*\\{id\\}[^\\s]*$"
	branchPattern     = "^[^\\x00-\\x20\\x7f-\\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069~^:?*\\[\\\\]*$"
)

// patternHints explains the patterns.
var patternHints = map[string]string{
	valuePattern:  "use TYPE/SLUG:NAME, such as tool/pytorch:stars",
	slugPattern:   "use lower-case letters and digits, separated by single hyphens",
	urlPattern:    "use a full URL that starts with https:// and contains no spaces or user name",
	dayPattern:    "use YYYY-MM-DD",
	monthPattern:  "use YYYY-MM-DD, or YYYY-MM if only the month is known",
	linePattern:   "use one line without control characters",
	periodPattern: "use YYYY-MM-DD, YYYY-MM or YYYY",
	entityPattern: "use type/slug, such as model/llama-3-1-8b",

	formerPattern:         "use a slug, or type/slug if it had another type",
	kinds.DurationPattern: "use a duration such as 90m, 1h30m or 2d (units: w, d, h, m, s)",
	kinds.SizePattern:     "use a size such as 16 GB or 512 MiB, or a number of bytes",

	documentPattern: "use a full URL that starts with https:// and contains no spaces",
	declinedPattern: "use namespace:id, such as github:owner/name, or type/slug",

	servicePattern:    "use a full URL that starts with https:// and contains no spaces, user name, ? or #",
	repositoryPattern: "use the URL of the repository's page, such as https://github.com/example/index, without spaces, user name, ? or #",
	pagePattern:       "use a full URL that contains {id}",
	branchPattern:     "use a branch name that git allows, such as main",
}

var typeNames = map[string]string{
	"string": "text", "number": "a number", "integer": "a whole number",
	"array": "a list", "object": "a set of fields", "boolean": "true or false", "null": "null",
}

// describeFailure describes how a value violates one keyword in a part of a
// schema.
func describeFailure(k jsonschema.ErrorKind, node map[string]any, value any) yamldoc.Problem {
	switch k := k.(type) {
	case *kind.Type:
		return yamldoc.Problem{Message: wrongType(k, node, value)}
	case *kind.Enum:
		var names []string
		for _, w := range k.Want {
			names = append(names, fmt.Sprint(w))
		}
		got, _ := k.Got.(string)
		return yamldoc.Problem{Message: yamldoc.Quote(k.Got) + " is not one of " + strings.Join(names, ", "), Suggestion: didyoumean.Name(got, names)}
	case *kind.Pattern:
		if k.Got == "" {
			return yamldoc.Problem{Message: "must not be empty"}
		}
		if names, ok := strings.CutSuffix(k.Want, ")/[a-z0-9]+(-[a-z0-9]+)*$"); ok { // a reference
			names = strings.ReplaceAll(strings.TrimPrefix(names, "^("), "|", "/… or ")
			return yamldoc.Problem{Message: yamldoc.Quote(k.Got) + ": use the address of an entity: " + names + "/…"}
		}
		if words, ok := patternHints[k.Want]; ok {
			return yamldoc.Problem{Message: yamldoc.Quote(k.Got) + ": " + words}
		}
		return yamldoc.Problem{Message: yamldoc.Quote(k.Got) + " does not match " + k.Want}
	case *kind.MaxLength:
		return yamldoc.Problem{Message: fmt.Sprintf("has %d characters; at most %d are allowed", k.Got, k.Want)}
	case *kind.MinItems:
		if k.Got > 0 {
			return yamldoc.Problem{Message: fmt.Sprintf("has %d %s; at least %d are needed", k.Got, map[bool]string{true: "entry", false: "entries"}[k.Got == 1], k.Want)}
		}
		return yamldoc.Problem{Message: "must not be empty"}
	case *kind.MinLength, *kind.MinProperties:
		return yamldoc.Problem{Message: "must not be empty"}
	case *kind.MaxItems:
		return yamldoc.Problem{Message: fmt.Sprintf("has %d entries; at most %d are allowed", k.Got, k.Want)}
	case *kind.Minimum:
		return yamldoc.Problem{Message: decimal(k.Got) + " is below " + decimal(k.Want)}
	case *kind.Maximum:
		return yamldoc.Problem{Message: decimal(k.Got) + " is above " + decimal(k.Want)}
	case *kind.ExclusiveMinimum:
		return yamldoc.Problem{Message: decimal(k.Got) + " is not greater than " + decimal(k.Want)}
	}
	return yamldoc.Problem{Message: fmt.Sprintf("does not match the schema (%s)", strings.Join(k.KeywordPath(), "/"))}
}

// wrongType describes a value that has the wrong type, and states the expected
// type.
func wrongType(k *kind.Type, node map[string]any, value any) string {
	want := make([]string, len(k.Want))
	for i, w := range k.Want {
		want[i] = typeNames[w]
	}
	message := "must be " + strings.Join(want, " or ")
	_, isSet := value.(map[string]any)
	_, isList := value.([]any)
	switch {
	case slices.Contains(k.Want, "string") && !isSet && !isList:
		switch pattern, _ := node["pattern"].(string); pattern {
		case urlPattern, dayPattern, monthPattern, periodPattern, servicePattern, repositoryPattern:
			return yamldoc.Quote(value) + ": " + patternHints[pattern]
		}
		return message + "; put it in quotes"
	case k.Got == "number" && slices.Contains(k.Want, "integer"):
		return yamldoc.Quote(value) + " is not a whole number"
	case k.Got == "string" && (slices.Contains(k.Want, "integer") || slices.Contains(k.Want, "number")):
		return message + ", not the text " + yamldoc.Quote(value) + "; write plain decimal digits without quotes"
	case slices.Contains(k.Want, "object"):
		message += " (" + strings.Join(properties(node), ", ") + ")"
	case slices.Contains(k.Want, "array"):
		message += ` ([…], or one "- …" line per entry)`
	}
	return message + ", not " + typeNames[k.Got]
}

// decimal formats a number without an exponent.
func decimal(r *big.Rat) string {
	if r.IsInt() && r.Num().BitLen() < 128 {
		return r.Num().String()
	}
	x, _ := r.Float64()
	return strconv.FormatFloat(x, 'g', -1, 64)
}
