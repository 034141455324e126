package schema

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
)

// checkLicense warns about strings that are not SPDX licence expressions: they may name real
// licences, but programs that read SPDX cannot interpret them.
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

// licenseExpression reports whether s is an SPDX licence expression
// (https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/). If s is not one, or is
// written in the wrong case, guess is the identifier that was probably meant.
func licenseExpression(s string) (ok bool, guess string) {
	known := spdxlicenses.GetLicenses()
	switch {
	case slices.Contains(known, s):
		return true, ""
	case !spdxValid(s):
		return false, guessLicense(s, known)
	}
	if i := slices.IndexFunc(known, func(id string) bool { return strings.EqualFold(id, s) }); i >= 0 {
		guess = known[i]
	}
	return true, guess
}

// alternatives separates the licences that a text offers to choose from.
var alternatives = regexp.MustCompile(`(?i)\s*(?:/|\||\bor\b)\s*`)

// guessLicense returns the expression that a text probably means, or "". It never guesses another
// licence, nor another version of it.
func guessLicense(s string, known []string) string {
	s = strings.Trim(s, "() ")
	if guess := nearLicense(s, known); guess != "" { // dl-de/by-2-0 is one licence
		return guess
	}
	var parts []string
	for _, part := range alternatives.Split(s, -1) {
		guess := nearLicense(part, known)
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
func nearLicense(text string, known []string) string {
	if slices.Contains(known, text) {
		return text
	}
	if id := bySpelling()[spelling(text)]; id != "" {
		return id
	}
	folded := strings.NewReplacer(" ", "-", "_", "-").Replace(text)
	var longer []string
	if m := shortened.FindStringSubmatch(strings.ToLower(folded)); m != nil {
		for _, id := range known {
			end := strings.TrimSuffix(strings.ToLower(id), ".0")
			if strings.HasPrefix(end, m[1]+"-") && (m[2] == "" || strings.HasSuffix(end, "-"+m[3])) {
				longer = append(longer, id)
			}
		}
	}
	if len(longer) == 1 {
		return longer[0]
	}
	if guess := didyoumean.Name(folded, known); longer == nil && misspells(text, guess) {
		return guess
	}
	return ""
}

// spelling returns the letters and the version of a licence.
func spelling(s string) string { return licenseName(s) + " " + licenseVersion(s) }

// bySpelling returns the identifiers of the SPDX list by their spellings.
var bySpelling = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for _, id := range spdxlicenses.GetLicenses() {
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
