package schema

import (
	"fmt"
	"net/url"
	pathpkg "path"
	"regexp"
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
	} else if doubt := doubtfulDate(s, path, time.Now()); doubt != "" {
		d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) + " " + doubt})
	}
}

// The years in which facts of a catalogue can lie: its oldest entries, and the farthest plans. A
// year outside is probably mistyped.
const (
	firstYear  = 1950
	planYears  = 20
	clocksOff  = 36 * time.Hour // a day can have begun elsewhere
	futureDate = "is in the future, so the figure would not count; is the year right?"
)

// pastOnly are the dates that cannot be later than today: those of readings, and of what was read.
var pastOnly = []string{"date", "addedDate", "lastUpdated", "lastCommit", "lastRelease", "created"}

// doubtfulDate returns why a valid date is probably wrong, or "".
func doubtfulDate(s string, path []string, now time.Time) string {
	t, err := time.Parse(time.DateOnly[:len(s)], s)
	if err != nil {
		return ""
	}
	field := path[len(path)-1]
	if field == "value" && len(path) > 1 {
		field = path[len(path)-2]
	}
	switch {
	case slices.Contains(pastOnly, field) && t.Sub(now) > clocksOff:
		return futureDate
	case t.Year() < firstYear || t.Year() > now.Year()+planYears:
		return fmt.Sprintf("is not between %d and %d; is the year right?", firstYear, now.Year()+planYears)
	}
	return ""
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
		verdict.guess = guessLicense(s, known)
	} else if i := slices.IndexFunc(known, func(id string) bool { return strings.EqualFold(id, s) }); i >= 0 && !slices.Contains(known, s) {
		verdict.guess = known[i]
	}
	if slices.Contains(known, s) {
		licenses.Store(s, verdict)
	}
	return verdict.ok, verdict.guess
}

// alternatives separates the licences that a text offers to choose from.
var alternatives = regexp.MustCompile(`(?i)\s*(?:/|\||\bor\b)\s*`)

// guessLicense returns the expression that a text probably means, or "". It never guesses another
// licence, nor another version of it.
func guessLicense(s string, known []string) string {
	var parts []string
	for _, part := range alternatives.Split(strings.Trim(s, "() "), -1) {
		guess := didyoumean.Name(strings.NewReplacer(" ", "-", "_", "-").Replace(part), known)
		if slices.Contains(known, part) {
			guess = part
		}
		if guess == "" || !sameLicense(part, guess) {
			return ""
		}
		parts = append(parts, guess)
	}
	return strings.Join(parts, " OR ")
}

// sameLicense reports whether a text can be a misspelt form of an identifier: their versions are
// the same, and their letters, but for one that is not the first (LGPL is not GPL).
func sameLicense(text, id string) bool {
	a, b := licenseName(text), licenseName(id)
	return licenseVersion(text) == licenseVersion(id) && a != "" && b != "" && a[0] == b[0] &&
		(a == b || len(b) >= 3 && didyoumean.Name(a, []string{b}) == b)
}

// licenseName returns the letters of a licence, without words that mean nothing.
func licenseName(s string) string {
	return letters.ReplaceAllString(noise.ReplaceAllString(strings.ToLower(s), ""), "")
}

// licenseVersion returns the numbers in a licence. 2 and 2.0 are the same.
func licenseVersion(s string) string {
	numbers := digits.FindAllString(s, -1)
	if n := len(numbers); n > 1 && numbers[n-1] == "0" {
		numbers = numbers[:n-1]
	}
	return strings.Join(numbers, ".")
}

var (
	noise   = regexp.MustCompile(`\b(?:the|license|licence|version|v)(?:\b|(?:[0-9]))`)
	letters = regexp.MustCompile(`[^a-z]+`)
	digits  = regexp.MustCompile(`[0-9]+`)
)

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
