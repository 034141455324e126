package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// The rules, by which issues are named.
const (
	Retired    = "retired"    // withdrawn, or the retirement date has been reached
	Retiring   = "retiring"   // will retire
	Deprecated = "deprecated" // by status, or the deprecation date has been reached
	Archived   = "archived"   // the repository is read-only
	Dormant    = "dormant"    // no commit for a year
	License    = "license"    // under a licence that the policy rules out
)

// Rules lists the rules, the most important first.
var Rules = []string{Retired, Retiring, Deprecated, Archived, Dormant, License}

// Issue is something about an entity that its users should know.
type Issue struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Fails   bool   `json:"fails"` // the policy rules it out
}

// Verdict is the worst issue of a finding.
type Verdict string

// The verdicts, best first.
const (
	OK   Verdict = "ok"   // no issue
	Warn Verdict = "warn" // issues that the policy allows
	Fail Verdict = "fail"
)

// Policy decides which issues fail an audit.
type Policy struct {
	AsOf     string // the day of the audit, YYYY-MM-DD
	fails    map[string]bool
	licenses []string
}

// NewPolicy returns a policy for a day. failOn lists the rules that fail an audit, and
// licenses as license:ID; dormant includes archived.
func NewPolicy(asOf string, failOn []string) (*Policy, error) {
	p := &Policy{AsOf: asOf, fails: map[string]bool{}}
	named := Rules[:slices.Index(Rules, License)]
	for _, rule := range failOn {
		rule = strings.TrimSpace(rule)
		if id, ok := strings.CutPrefix(rule, License+":"); ok && strings.TrimSpace(id) != "" {
			p.licenses, p.fails[License] = append(p.licenses, strings.TrimSpace(id)), true
			continue
		}
		if !slices.Contains(named, rule) {
			message := fmt.Sprintf("%q is not a rule; expected one of: %s, license:ID", rule, strings.Join(named, ", "))
			if near := didyoumean.Name(rule, named); near != "" {
				message += fmt.Sprintf(" (did you mean %q?)", near)
			}
			return nil, fmt.Errorf("%s", message)
		}
		p.fails[rule] = true
	}
	if p.fails[Dormant] {
		p.fails[Archived] = true
	}
	return p, nil
}

// check returns the issues of an entity, the most important first.
func (p *Policy) check(m *Match) (issues []Issue, verdict Verdict) {
	issues, verdict = []Issue{}, OK
	add := func(rule, message string) {
		issues = append(issues, Issue{rule, message, p.fails[rule]})
		if p.fails[rule] {
			verdict = Fail
		} else if verdict == OK {
			verdict = Warn
		}
	}
	end := m.lifecycle()
	successor := ""
	if end.ReplacedBy != "" {
		successor = "; its successor is " + string(end.ReplacedBy)
	}
	switch retires := string(end.Retires); {
	case retires != "" && retires <= p.AsOf:
		add(Retired, "retired on "+retires+successor)
	case m.Status == record.Withdrawn:
		add(Retired, "withdrawn"+successor)
	case retires != "":
		add(Retiring, "retires on "+retires+successor)
	}
	if len(issues) > 0 {
		successor = ""
	}
	switch deprecated := string(end.Deprecated); {
	case deprecated != "" && deprecated <= p.AsOf:
		add(Deprecated, "deprecated since "+deprecated+successor)
	case m.Status == record.Deprecated:
		add(Deprecated, "its makers advise against adopting it"+successor)
	}
	switch asOf := string(cmp.Or(m.MaintenanceAsOf, "an unknown date")); m.Maintenance {
	case record.Archived:
		add(Archived, "the repository is archived, as of "+asOf)
	case record.Dormant:
		add(Dormant, "no commit for more than a year, as of "+asOf)
	}
	if slices.ContainsFunc(p.licenses, func(id string) bool { return names(string(m.License), id) }) {
		add(License, "licensed under "+string(m.License))
	}
	return issues, verdict
}

// names reports whether a licence expression contains a licence, in any case (SPDX 2.3, annex D).
func names(expression, id string) bool {
	words := strings.FieldsFunc(expression, func(r rune) bool { return r == ' ' || r == '(' || r == ')' })
	return strings.EqualFold(expression, id) || slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, id) })
}
