package audit

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"kindex/builder/actions"
	"kindex/exports/safetext"
)

// The parts of SARIF 2.1.0 that a report needs
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string            `json:"ruleId"`
		RuleIndex int               `json:"ruleIndex"`
		Level     string            `json:"level"`
		Message   sarifText         `json:"message"`
		Locations []sarifLocation   `json:"locations"`
		Hashes    map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// ruleTexts describe the rules.
var ruleTexts = map[string]string{
	Retired:    "The tool or model has been withdrawn, or its retirement date has been reached.",
	Retiring:   "The tool or model will be retired.",
	Deprecated: "The tool or model is deprecated.",
	Archived:   "The repository is archived.",
	Dormant:    "The repository has had no commit for more than a year.",
	License:    "The licence is ruled out by the policy.",
}

// sarif returns the issues as a SARIF log.
func (r *Report) sarif(version string) *sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "kindex", Version: version}
	index := map[string]int{}
	for i, rule := range Rules {
		index[rule] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule, sarifText{ruleTexts[rule]}})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, issue := range f.Issues {
			result := sarifResult{RuleID: issue.Rule, RuleIndex: index[issue.Rule], Level: "warning",
				Message: sarifText{plainText(fmt.Sprintf("%s (%s, %s): %s", used(f.ID, f.Used), f.Entity.Name, f.Entity.Key(), issue.Message))},
				// The line is not part of the fingerprint: it changes with every edit above it.
				Hashes: map[string]string{"kindex/v1": issue.Rule + " " + safetext.Escape(f.ID) + " " + f.Entity.Key()}}
			if issue.Fails {
				result.Level = "error"
			}
			var at sarifLocation
			at.Physical.Artifact.URI = sarifURI(f.File)
			if f.Line > 0 {
				at.Physical.Region = &sarifRegion{f.Line}
			}
			result.Locations = []sarifLocation{at}
			run.Results = append(run.Results, result)
		}
	}
	return &sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
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
