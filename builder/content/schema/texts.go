package schema

import (
	"fmt"
	"net/url"
	pathpkg "path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

// checkTexts adds what a pattern cannot tell of a text: that it is blank, an
// address of no place, a day that no calendar has, or no licence.
func (s *Schema) checkTexts(d *yamldoc.Document, value any, node map[string]any, path []string) {
	switch v := value.(type) {
	case map[string]any:
		props, _ := node["properties"].(map[string]any)
		for name, member := range v {
			inner := append(path[:len(path):len(path)], name)
			if d.Faulty[yamldoc.FieldName(inner)] || checkHidden(d, name, inner, true) {
				s.checkTexts(d, member, s.resolve(props[name]), inner)
			}
		}
	case []any:
		for i, item := range v {
			s.checkTexts(d, item, s.resolve(node["items"]), append(path[:len(path):len(path)], strconv.Itoa(i)))
		}
	case string:
		if node == nil || len(d.Faulty) > 0 && d.Faulty[yamldoc.FieldName(path)] {
			return // it has been complained about
		}
		if !checkHidden(d, v, path, false) {
			return
		}
		switch pattern, _ := node["pattern"].(string); pattern {
		case linePattern:
			checkLine(d, v, path)
		case urlPattern, servicePattern:
			checkURL(d, v, path)
		case repositoryPattern:
			checkRepository(d, v, path)
		case branchPattern:
			checkBranch(d, v, path)
		case dayPattern, monthPattern:
			checkDate(d, v, path)
		}
	}
}

// checkHidden adds the first hidden character of a text or, where key is set, of
// a field's name. Only an escape in quotes can have brought it into a file.
func checkHidden(d *yamldoc.Document, s string, path []string, key bool) (ok bool) {
	for at, r := range safetext.Hidden(s) {
		d.AddAt(path, key, yamldoc.Problem{Message: fmt.Sprintf("contains the hidden character %s as its character %d; remove it",
			safetext.Describe(r), utf8.RuneCountInString(s[:at])+1)})
		return false
	}
	return true
}

func checkLine(d *yamldoc.Document, s string, path []string) {
	if isBlank(s) {
		d.AddAt(path, false, yamldoc.Problem{Message: "must not be blank"})
		return
	}
	if path[len(path)-1] == "license" {
		checkLicense(d, s, path)
	}
}

// checkURL refuses what has the form of an address but names no place, and
// addresses that do not show what they are.
func checkURL(d *yamldoc.Document, s string, path []string) {
	u, err := url.Parse(s)
	hidden := strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
	if err != nil || hidden || !validHost(u.Hostname()) || !validPort(u.Port()) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + " is not a valid address"})
	}
}

// checkRepository refuses addresses of no place, and those whose path is not what
// it seems.
func checkRepository(d *yamldoc.Document, s string, path []string) {
	checkURL(d, s, path)
	if d.Faulty[yamldoc.FieldName(path)] {
		return
	}
	u, err := url.Parse(RepositoryURL(s))
	if err != nil || u.Path == "" || u.Path != pathpkg.Clean(u.Path) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + ": " + patternHints[repositoryPattern]})
	}
}

// RepositoryURL is the address of a repository's page where somebody may have
// given the one that git clones from.
func RepositoryURL(s string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s, "/"), ".git"), "/")
}

// checkBranch refuses what git refuses as the name of a branch
// (https://git-scm.com/docs/git-check-ref-format).
func checkBranch(d *yamldoc.Document, s string, path []string) {
	bad := s == "" || s == "@" || s == "HEAD" || strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".") ||
		strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) })
	for part := range strings.SplitSeq(s, "/") {
		bad = bad || part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + ": " + patternHints[branchPattern]})
	}
}

func validHost(host string) bool {
	return host != "" && !strings.HasPrefix(host, ".") && !strings.Contains(host, "..")
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// checkDate refuses days that no calendar has.
func checkDate(d *yamldoc.Document, s string, path []string) {
	layout := time.DateOnly
	if len(s) == len("2006-01") {
		layout = "2006-01"
	}
	if _, err := time.Parse(layout, s); err != nil {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + " is not in the calendar; the order is year, month, day"})
	}
}

// checkLicense warns of what is no licence expression: it may well be a true
// name, but programs that read SPDX cannot tell what it means.
func checkLicense(d *yamldoc.Document, s string, path []string) {
	ok, guess := licenseExpression(strings.TrimSpace(s))
	switch {
	case ok && guess != "":
		d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) + " is spelled otherwise in the SPDX list", Suggestion: guess})
	case !ok && guess != "":
		d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) + " is not an SPDX licence expression", Suggestion: guess})
	case !ok:
		d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) +
			" is not an SPDX licence expression; take an id of https://spdx.org/licenses/, or LicenseRef-Name for a licence that is not listed"})
	}
}

// licenses caches verdicts about licences, since a catalogue has few of them and
// thousands of entities. It keeps identifiers of the SPDX list only, so that it
// is never larger than that list, whatever strangers send.
var licenses sync.Map // string → licenseVerdict

type licenseVerdict struct {
	ok    bool
	guess string
}

// licenseExpression tells whether s is an SPDX licence expression
// (https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/), and which
// identifier was probably meant where it is not, or is in the wrong case.
func licenseExpression(s string) (ok bool, guess string) {
	if v, hit := licenses.Load(s); hit {
		verdict := v.(licenseVerdict)
		return verdict.ok, verdict.guess
	}
	verdict := licenseVerdict{ok: spdxValid(s)}
	known := spdxlicenses.GetLicenses()
	if !verdict.ok {
		verdict.guess = didyoumean.Name(strings.NewReplacer(" ", "-", "_", "-").Replace(s), known)
	} else if i := slices.IndexFunc(known, func(id string) bool { return strings.EqualFold(id, s) }); i >= 0 && !slices.Contains(known, s) {
		verdict.guess = known[i]
	}
	if slices.Contains(known, s) {
		licenses.Store(s, verdict)
	}
	return verdict.ok, verdict.guess
}

func spdxValid(s string) (ok bool) {
	defer func() {
		if recover() != nil { // the library indexes past the end of some broken input
			ok = false
		}
	}()
	ok, _ = spdxexp.ValidateLicenses([]string{s})
	return ok
}

// isBlank tells whether a text shows nothing at all.
func isBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
