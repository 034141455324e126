package schema

import (
	"cmp"
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

	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
	"kindex/exports/kinds"
)

// The patterns used in the schemas.
const (
	urlPattern        = "^https?://[^\\s/?#@]+([/?#][^\\s]*)?$"
	DayPattern        = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
	MonthPattern      = "^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$"
	PeriodPattern     = "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"
	entityPattern     = "^[a-z][a-z0-9]*(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$"
	linePattern       = "^[^\\x00-\\x1f\\x7f-\\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$"
	servicePattern    = "^https?://[^\\s/?#@]+(/[^\\s?#]*)?$"
	repositoryPattern = "^https?://[^\\s/?#@]+(/[^\\s/?#]+)+/?$"
	branchPattern     = "^[^\\x00-\\x20\\x7f-\\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069~^:?*\\[\\\\]*$"
)

// patternHints explains the patterns.
var patternHints = map[string]string{
	"^[a-z][a-z0-9-]*/[a-z0-9-]+:[A-Za-z][^:\\s]*$": "use TYPE/SLUG:NAME, such as tool/pytorch:stars",
	"^[a-z][a-zA-Z0-9]*$":                           "use letters from a to z and digits, starting with a small letter, such as foodSafe",
	"^[a-z0-9]+(-[a-z0-9]+)*$":                      "use lower-case letters and digits, separated by single hyphens",
	urlPattern:                                      "use a full URL that starts with https:// and contains no spaces or user name",
	DayPattern:                                      "use YYYY-MM-DD",
	MonthPattern:                                    "use YYYY-MM-DD, or YYYY-MM if only the month is known",
	linePattern:                                     "use one line without control characters",
	PeriodPattern:                                   "use YYYY-MM-DD, YYYY-MM or YYYY",
	entityPattern:                                   "use type/slug, such as model/llama-3-1-8b",
	"^([a-z][a-z0-9]*(-[a-z0-9]+)*/)?[a-z0-9]+(-[a-z0-9]+)*$": "use a slug, or type/slug if it had another type",
	kinds.DurationPattern:                           "use a duration such as 90m, 1h30m or 500ms (units: w, d, h, m, s, ms)",
	kinds.SizePattern:                               "use a size such as 16 GB or 512 MiB, or a number of bytes",
	"^https://[^\\s]+$":                             "use a full URL that starts with https:// and contains no spaces",
	"^([a-z][a-z0-9-]*:|[a-z][a-z0-9-]*/)[^\\s]+$":  "use namespace:id, such as github:owner/name, or type/slug",
	servicePattern:                                  "use a full URL that starts with https:// and contains no spaces, user name, ? or #",
	repositoryPattern:                               "use the URL of the repository's page, such as https://github.com/example/index, without spaces, user name, ? or #",
	"^https?://[^\\s/?#@]+/[^\\s]*\\{id\\}[^\\s]*$": "use a full URL that contains {id}",
	branchPattern:                                   "use a branch name that git allows, such as main",
}

var (
	datePatterns = []string{DayPattern, MonthPattern, PeriodPattern}
	urlPatterns  = []string{urlPattern, servicePattern, repositoryPattern}
)

// patternHint states what a value should look like, after the value.
func patternHint(pattern string) string {
	if names, ok := strings.CutSuffix(pattern, ")/[a-z0-9]+(-[a-z0-9]+)*$"); ok { // a reference
		names = strings.ReplaceAll(strings.TrimPrefix(names, "^("), "|", "/… or ")
		return ": use the address of an entity: " + names + "/…"
	}
	if words, ok := patternHints[pattern]; ok {
		return ": " + words
	}
	return " does not match " + pattern
}

// meaning adds problems that a pattern cannot detect, such as dates that do not exist and unknown licences.
func (c *checker) meaning(pattern, s string) {
	switch pattern {
	case linePattern:
		if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) {
			c.add("must not be blank")
		} else if c.path[len(c.path)-1] == "license" {
			checkLicense(c.d, s, c.path)
		} else if c.Name == "entity" && c.path[0] == "ids" {
			id := strings.TrimSpace(s)
			if n := ids.Find(c.path[1]); n != nil && !n.Pattern.MatchString(id) {
				c.add("%s is not an identifier on %s; use %s", yamldoc.Quote(id), n.Title, n.Hint)
			}
		}
	case urlPattern, servicePattern, repositoryPattern:
		if !validURL(s) {
			c.add("%s is not a valid URL", yamldoc.Quote(s))
		} else if u, err := url.Parse(RepositoryURL(s)); pattern == repositoryPattern && (err != nil || u.Path == "" || u.Path != pathpkg.Clean(u.Path)) {
			c.add("%s%s", yamldoc.Quote(s), patternHint(pattern))
		}
	case branchPattern:
		if !validBranch(s) {
			c.add("%s%s", yamldoc.Quote(s), patternHint(pattern))
		}
	case DayPattern, MonthPattern, PeriodPattern:
		t, err := time.Parse(time.DateOnly[:min(len(s), len(time.DateOnly))], s)
		if err != nil {
			c.add("%s does not exist; the order is year, month, day", yamldoc.Quote(s))
		} else if doubt := c.doubtfulDate(t, time.Now()); doubt != "" {
			c.d.Warn(c.path, yamldoc.Quote(s)+" "+doubt)
		}
	}
}

func validURL(s string) bool {
	u, err := url.Parse(s)
	hidden := strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
	if err != nil || hidden {
		return false
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16)
	host := u.Hostname()
	return err == nil && port > 0 && host != "" && host[0] != '.' && !strings.Contains(host, "..")
}

// RepositoryURL returns the address of a repository's web page, given either that address or
// the address to clone from.
func RepositoryURL(s string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s, "/"), ".git"), "/")
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

// The years in which built-in facts of a catalogue can lie: its oldest entries, and the farthest plans. A
// year outside is probably mistyped.
const (
	firstYear = 1950
	planYears = 20
	clocksOff = 36 * time.Hour // a day can have begun elsewhere
)

// pastOnly are the dates that cannot be later than today: those of readings, and of what was read.
var pastOnly = []string{"date", "addedDate", "lastUpdated", "lastCommit", "lastRelease", "created"}

// doubtfulDate returns why the current value, a date, is probably wrong, or "". What an index declares can lie in any past,
// and none of its names means a reading.
func (c *checker) doubtfulDate(t, now time.Time) string {
	field := c.path[len(c.path)-1]
	if field == "value" && len(c.path) > 1 {
		field = c.path[len(c.path)-2]
	}
	f := c.declared.Field(strings.Join(c.path, "."))
	own := f != nil && kinds.Default().Field(f.Path) == nil && (f.Group == nil || !f.Group.Dated || f.Name == kinds.ValuePart)
	switch last := now.Year() + planYears; {
	case own && t.Year() > last:
		return fmt.Sprintf("is after %d; is the year right?", last)
	case own:
	case slices.Contains(pastOnly, field) && t.Sub(now) > clocksOff:
		if len(c.path) == 1 { // a date of the entity itself
			return "is in the future; is the year right?"
		}
		return "is in the future, so the figure would not count; is the year right?"
	case t.Year() < firstYear || t.Year() > last:
		return fmt.Sprintf("is not between %d and %d; is the year right?", firstYear, last)
	}
	return ""
}

// checkLicense warns of texts that are not SPDX licence expressions, which programs cannot interpret.
func checkLicense(d *yamldoc.Document, s string, path []string) {
	ok, guess := licenseExpression(strings.TrimSpace(s))
	message := " is not an SPDX licence expression"
	switch {
	case ok && guess == "":
		return
	case ok:
		message = " is spelled differently in the SPDX list"
	case guess == "":
		message += "; use an identifier from https://spdx.org/licenses/, or LicenseRef-Name for a licence that is not listed"
	}
	d.AddAt(path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) + message, Suggestion: guess})
}

// licenseExpression reports whether s is an SPDX licence expression. If it is not, or is written in the wrong case, guess is
// the identifier that was probably meant.
func licenseExpression(s string) (ok bool, guess string) {
	switch {
	case slices.Contains(licenses, s):
		return true, ""
	case !spdxValid(s):
		return false, guessLicense(s)
	}
	if i := slices.IndexFunc(licenses, func(id string) bool { return strings.EqualFold(id, s) }); i >= 0 {
		guess = licenses[i]
	}
	return true, guess
}

// licenses are the identifiers of the SPDX list.
var licenses = spdxlicenses.GetLicenses()

// alternatives separates the licences that a text offers to choose from.
var alternatives = regexp.MustCompile(`(?i)\s*(?:/|\||\bor\b)\s*`)

// guessLicense returns the expression that a text probably means, but no other licence or version of it, or "".
func guessLicense(s string) string {
	s = strings.Trim(s, "() ")
	if guess := nearLicense(s); guess != "" { // dl-de/by-2-0 is one licence
		return guess
	}
	var parts []string
	for _, part := range alternatives.Split(s, -1) {
		guess := nearLicense(part)
		if guess == "" {
			return ""
		}
		parts = append(parts, guess)
	}
	return strings.Join(parts, " OR ")
}

// shortened matches a name, and a version after it.
var shortened = regexp.MustCompile(`^(.+?)(-+v?([0-9][0-9.]*?)(?:\.0)?)?$`)

// nearLicense returns the identifier that a text can be another form of, a short one (CC0 is CC0-1.0, and
// OGL 3.0 is OGL-UK-3.0) or a misspelt one. It returns "" if there is none.
func nearLicense(text string) string {
	if slices.Contains(licenses, text) {
		return text
	}
	if id := bySpelling()[spelling(text)]; id != "" {
		return id
	}
	folded := strings.NewReplacer(" ", "-", "_", "-").Replace(text)
	var longer []string
	if m := shortened.FindStringSubmatch(strings.ToLower(folded)); m != nil {
		for _, id := range licenses {
			end := strings.TrimSuffix(strings.ToLower(id), ".0")
			if strings.HasPrefix(end, m[1]+"-") && (m[2] == "" || strings.HasSuffix(end, "-"+m[3])) {
				longer = append(longer, id)
			}
		}
	}
	if len(longer) == 1 {
		return longer[0]
	}
	if guess := didyoumean.Name(folded, licenses); longer == nil && misspells(text, guess) {
		return guess
	}
	return ""
}

// spelling returns the letters and the version of a licence.
func spelling(s string) string { return licenseName(s) + " " + licenseVersion(s) }

// bySpelling returns the identifiers of the SPDX list by their spellings.
var bySpelling = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for _, id := range licenses {
		if name := spelling(id); table[name] == "" && licenseName(id) != "" {
			table[name] = id
		}
	}
	return table
})

// misspells reports whether a text can be a misspelt form of an identifier: their versions are the same, and
// their letters, but for one that is not the first (LGPL is not GPL). Short names are too similar (OGL is not OSL).
func misspells(text, id string) bool {
	a, b := licenseName(text), licenseName(id)
	return len(a) > 3 && len(b) > 0 && len(a)-len(b) <= 1 && len(b)-len(a) <= 1 && a[0] == b[0] && licenseVersion(text) == licenseVersion(id) &&
		didyoumean.Name(a, []string{b}) == b
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
	text = strings.TrimSpace(text)
	if ok, guess := licenseExpression(text); ok {
		return cmp.Or(guess, text)
	}
	return ""
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
