package audit

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"kindex/builder/actions"
	"kindex/exports/safetext"
)

// ruleTexts describe the rules.
var ruleTexts = map[string]string{
	Retired:    "The tool or model has been withdrawn, or its retirement date has been reached.",
	Retiring:   "The tool or model will be retired.",
	Deprecated: "The tool or model is deprecated.",
	Archived:   "The repository is archived.",
	Dormant:    "The repository has had no commit for more than a year.",
	License:    "The licence is ruled out by the policy.",
	unreadable: "A part of a file cannot be read, so that the audit is incomplete.",
}

type object = map[string]any

// sarif returns the issues and what is unreadable as results of a SARIF log, and what is unknown as
// notifications (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
func (r *Report) sarif(version string) object {
	rules := append(slices.Clone(Rules), unreadable)
	described := make([]object, len(rules))
	for i, rule := range rules {
		described[i] = object{"id": rule, "shortDescription": object{"text": ruleTexts[rule]}}
	}
	results, unknown := []object{}, []object{}
	for _, n := range r.notes() {
		at := object{"artifactLocation": object{"uri": sarifURI(n.file)}}
		if n.line > 0 {
			at["region"] = object{"startLine": n.line}
		}
		result := object{"level": n.level, "message": object{"text": plainText(n.message)}, "locations": []object{{"physicalLocation": at}}}
		if n.level == "note" {
			unknown = append(unknown, result)
			continue
		}
		result["ruleId"], result["ruleIndex"] = n.rule, slices.Index(rules, n.rule)
		// The line is not part of the fingerprint: it changes with every edit above it.
		result["partialFingerprints"] = object{"kindex/v1": n.rule + " " + n.about}
		results = append(results, result)
	}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool":        object{"driver": object{"name": "kindex", "version": version, "rules": described}},
		"columnKind":  "unicodeCodePoints",
		"invocations": []object{{"executionSuccessful": true, "toolExecutionNotifications": unknown}},
		"results":     results,
	}}}
}

// links escapes the brackets of links, which texts can contain (section 3.11.6).
var links = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

// plainText escapes a string so that viewers show it verbatim.
func plainText(s string) string { return links.Replace(safetext.Escape(s)) }

// sarifURI returns a file's URI: relative to the repository if the file is in it.
func sarifURI(file string) string {
	u := url.URL{Path: actions.RepositoryPath(file)}
	if filepath.IsAbs(u.Path) {
		u.Scheme = "file"
	}
	return u.String()
}
