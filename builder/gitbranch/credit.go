package gitbranch

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"kindex/exports/safetext"
)

// message returns the commit message. Forges scan commit messages for people to notify and
// issues to close, so the message contains only one part of the submission: its key, whose
// syntax is harmless.
func message(p Proposal) string {
	verb := "Add"
	if p.Changes != nil {
		verb = "Correct"
	}
	return fmt.Sprintf("%s %s/%s\n\nSubmission: %s\nSubmitted-by: %s\n", verb, p.Type, p.Slug, p.ID, Credit(p.Account))
}

// reference matches issue references without a #, such as GH-1.
var reference = regexp.MustCompile(`(?i)\b(gh)-(\d)`)

// Credit returns the name of an account for use in commits and pull requests: on one line,
// and without mentions (@name) and issue references (#1, GH-1, addresses).
func Credit(name string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune(" -_.,'()", r):
			return r
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return '_'
	}, name)
	s = reference.ReplaceAllString(safetext.Strip(s), "${1}_$2")
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100])
	}
	if strings.Trim(s, " -_.,'()") == "" {
		return "unnamed"
	}
	return s
}
