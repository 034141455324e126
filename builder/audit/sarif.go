package audit

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
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
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	// sarifInvocation has notifications about what the index does not know.
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
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
	unreadable: "A part of a file cannot be read, so that the audit is incomplete.",
}

// unreadable is the rule of what cannot be read.
const unreadable = "unreadable"

// sarif returns the issues and what is unreadable as results of a SARIF log, and what is unknown as
// notifications.
func (r *Report) sarif(version string) *sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "kindex", Version: version}
	index := map[string]int{}
	for i, rule := range append(slices.Clone(Rules), unreadable) {
		index[rule] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule, sarifText{ruleTexts[rule]}})
	}
	add := func(rule, file string, line int, fails bool, message, hash string) {
		level := "warning"
		if fails {
			level = "error"
		}
		// The line is not part of the fingerprint: it changes with every edit above it.
		run.Results = append(run.Results, sarifResult{RuleID: rule, RuleIndex: index[rule], Level: level, Message: sarifText{plainText(message)},
			Locations: []sarifLocation{sarifAt(file, line)}, Hashes: map[string]string{"kindex/v1": hash}})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, issue := range f.Issues {
			add(issue.Rule, f.File, f.Line, issue.Fails, fmt.Sprintf("%s (%s, %s): %s", used(f.ID, f.Used), f.Entity.Name, f.Entity.Key(), issue.Message),
				issue.Rule+" "+safetext.Escape(f.ID)+" "+f.Entity.Key())
		}
	}
	for _, u := range r.Unread {
		add(unreadable, u.File, u.Line, true, u.Reason, unreadable+" "+safetext.Escape(u.Reason))
	}
	unknown := sarifInvocation{Successful: true, Notifications: []sarifNotification{}}
	for i := range r.Missing {
		u := &r.Missing[i]
		unknown.Notifications = append(unknown.Notifications, sarifNotification{"note", sarifText{plainText(used(u.ID, u.Used) + " " + u.reason())},
			[]sarifLocation{sarifAt(u.File, u.Line)}})
	}
	run.Invocations = []sarifInvocation{unknown}
	return &sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func sarifAt(file string, line int) (at sarifLocation) {
	at.Physical.Artifact.URI = sarifURI(file)
	if line > 0 {
		at.Physical.Region = &sarifRegion{line}
	}
	return at
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
