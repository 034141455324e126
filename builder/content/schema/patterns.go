package schema

import (
	"cmp"
	"fmt"
	"net/url"
	pathpkg "path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kindex/builder/content/yamldoc"
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
	kinds.DurationPattern: "use a duration such as 90m, 1h30m or 500ms (units: w, d, h, m, s, ms)",
	kinds.SizePattern:     "use a size such as 16 GB or 512 MiB, or a number of bytes",

	documentPattern: "use a full URL that starts with https:// and contains no spaces",
	declinedPattern: "use namespace:id, such as github:owner/name, or type/slug",

	servicePattern:    "use a full URL that starts with https:// and contains no spaces, user name, ? or #",
	repositoryPattern: "use the URL of the repository's page, such as https://github.com/example/index, without spaces, user name, ? or #",
	pagePattern:       "use a full URL that contains {id}",
	branchPattern:     "use a branch name that git allows, such as main",
}

var (
	datePatterns = []string{dayPattern, monthPattern, periodPattern}
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

// meaning adds problems that a pattern cannot detect: blank strings, addresses without a valid
// host, dates that do not exist, and unknown licences.
func (c *checker) meaning(pattern, s string) {
	switch pattern {
	case linePattern:
		if isBlank(s) {
			c.add(false, "must not be blank")
		} else if c.path[len(c.path)-1] == "license" {
			checkLicense(c.d, s, c.path)
		}
	case urlPattern, servicePattern, repositoryPattern:
		if !validURL(s) {
			c.add(false, "%s is not a valid URL", yamldoc.Quote(s))
		} else if pattern == repositoryPattern && !validRepository(s) {
			c.add(false, "%s%s", yamldoc.Quote(s), patternHint(pattern))
		}
	case branchPattern:
		if !validBranch(s) {
			c.add(false, "%s%s", yamldoc.Quote(s), patternHint(pattern))
		}
	case dayPattern, monthPattern, periodPattern:
		t, err := time.Parse(time.DateOnly[:min(len(s), len(time.DateOnly))], s)
		if err != nil {
			c.add(false, "%s does not exist; the order is year, month, day", yamldoc.Quote(s))
		} else if doubt := doubtfulDate(t, c.path, time.Now()); doubt != "" {
			c.d.AddAt(c.path, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: yamldoc.Quote(s) + " " + doubt})
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

func validRepository(s string) bool {
	u, err := url.Parse(RepositoryURL(s))
	return err == nil && u.Path != "" && u.Path == pathpkg.Clean(u.Path)
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

// doubtfulDate returns why a date is probably wrong, or "".
func doubtfulDate(t time.Time, path []string, now time.Time) string {
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

// isBlank reports whether a string has no visible characters.
func isBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
