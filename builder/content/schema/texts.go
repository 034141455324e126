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

// checkTexts adds problems that a pattern cannot detect: blank strings, addresses without a
// valid host, dates that do not exist, and unknown licences.
func (s *Schema) checkTexts(d *yamldoc.Document, value any, node map[string]any, path []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			inner := append(path[:len(path):len(path)], name)
			if len(d.Faulty) > 0 && d.Faulty[yamldoc.FieldName(inner)] || checkHidden(d, name, inner, true) {
				s.checkTexts(d, member, s.member(node, name), inner)
			}
		}
	case []any:
		for i, item := range v {
			s.checkTexts(d, item, s.resolve(node["items"]), append(path[:len(path):len(path)], strconv.Itoa(i)))
		}
	case string:
		if node == nil || len(d.Faulty) > 0 && d.Faulty[yamldoc.FieldName(path)] {
			return // already reported
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
		case dayPattern, monthPattern, periodPattern:
			checkDate(d, v, path)
		}
	}
}

// checkHidden adds a problem for the first hidden character in a string or, if key is set, in a
// field name. In a value from a file, only an escape sequence in a quoted string can produce a
// hidden character.
func checkHidden(d *yamldoc.Document, s string, path []string, key bool) (ok bool) {
	for at, r := range safetext.Hidden(s) {
		d.AddAt(path, key, yamldoc.Problem{Message: fmt.Sprintf("contains the hidden character %s at position %d; remove it",
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

// checkURL rejects addresses without a valid host, and misleading addresses.
func checkURL(d *yamldoc.Document, s string, path []string) {
	if !validURL(s) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + " is not a valid URL"})
	}
}

func validURL(s string) bool {
	if plainURL(s) {
		return true
	}
	u, err := url.Parse(s)
	hidden := strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
	return err == nil && !hidden && validHost(u.Hostname()) && validPort(u.Port())
}

// checkRepository rejects addresses without a valid host, and misleading paths.
func checkRepository(d *yamldoc.Document, s string, path []string) {
	checkURL(d, s, path)
	if !d.Faulty[yamldoc.FieldName(path)] && !validRepository(s) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + ": " + patternHints[repositoryPattern]})
	}
}

func validRepository(s string) bool {
	u, err := url.Parse(RepositoryURL(s))
	return err == nil && u.Path != "" && u.Path == pathpkg.Clean(u.Path)
}

// RepositoryURL returns the address of a repository's web page, given either that address or
// the address to clone from.
func RepositoryURL(s string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s, "/"), ".git"), "/")
}

func checkBranch(d *yamldoc.Document, s string, path []string) {
	if !validBranch(s) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + ": " + patternHints[branchPattern]})
	}
}

// validBranch reports whether git accepts s as the name of a branch
// (https://git-scm.com/docs/git-check-ref-format).
func validBranch(s string) bool {
	if s == "" || s == "@" || s == "HEAD" || strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".") ||
		strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

func validHost(host string) bool {
	return host != "" && !strings.HasPrefix(host, ".") && !strings.Contains(host, "..")
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// checkDate rejects dates that do not exist.
func checkDate(d *yamldoc.Document, s string, path []string) {
	if !validDate(s) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(s) + " does not exist; the order is year, month, day"})
	}
}

func validDate(s string) bool {
	_, err := time.Parse(time.DateOnly[:min(len(s), len(time.DateOnly))], s)
	return err == nil
}

// checkLicense warns about strings that are not SPDX licence expressions: they may name real
// licences, but programs that read SPDX cannot interpret them.
func checkLicense(d *yamldoc.Document, s string, path []string) {
	ok, guess := licenseExpression(strings.TrimSpace(s))
	switch {
	case ok && guess != "":
		d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) + " is spelled differently in the SPDX list", Suggestion: guess})
	case !ok && guess != "":
		d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) + " is not an SPDX licence expression", Suggestion: guess})
	case !ok:
		d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) +
			" is not an SPDX licence expression; use an identifier from https://spdx.org/licenses/, or LicenseRef-Name for a licence that is not listed"})
	}
}

// licenses caches the results of licenseExpression, since a catalogue has thousands of entities
// but few licences. It contains only identifiers from the SPDX list, so its size is bounded
// regardless of the input.
var licenses sync.Map // string → licenseVerdict

type licenseVerdict struct {
	ok    bool
	guess string
}

// licenseExpression reports whether s is an SPDX licence expression
// (https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/). If s is not one, or is
// written in the wrong case, guess is the identifier that was probably meant.
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

// License returns a text as an SPDX licence expression in the spelling of the SPDX list, or "" if
// it is none.
func License(text string) string {
	ok, guess := licenseExpression(strings.TrimSpace(text))
	switch {
	case !ok:
		return ""
	case guess != "":
		return guess
	}
	return strings.TrimSpace(text)
}

func spdxValid(s string) (ok bool) {
	defer func() {
		if recover() != nil { // the library panics for some invalid input
			ok = false
		}
	}()
	ok, _ = spdxexp.ValidateLicenses([]string{s})
	return ok
}

// isBlank reports whether a string has no visible characters.
func isBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
