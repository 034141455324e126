package content

import (
	"strconv"
	"strings"
	"unicode"

	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

// maxSynonymWords is the maximum number of words in a phrase.
const maxSynonymWords = 6

// checkSynonyms refuses entries that occur in two groups, because it would be unclear what they
// mean, and entries without words.
func checkSynonyms(d *yamldoc.Document) {
	groups, _ := yamldoc.ValueAt(d.Value, []string{"synonyms"}).([]any)
	first := map[string]int{} // by folded entry: its group
	for i, group := range groups {
		entries, _ := group.([]any)
		for j, entry := range entries {
			text, ok := entry.(string)
			if !ok || d.Faulty[yamldoc.FieldName([]string{"synonyms", strconv.Itoa(i), strconv.Itoa(j)})] {
				continue
			}
			words := strings.FieldsFunc(record.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
			key := strings.Join(words, " ")
			before, seen := first[key]
			message := ""
			switch {
			case key == "":
				message = " has no letters or digits"
			case len(words) > maxSynonymWords:
				message = " has more than " + strconv.Itoa(maxSynonymWords) + " words"
			case seen && before == i:
				message = givenTwice
			case seen:
				message = " is also in synonyms[" + strconv.Itoa(before) + "]; merge the groups, or remove it from one"
			}
			if message != "" {
				d.AddAt([]string{"synonyms", strconv.Itoa(i), strconv.Itoa(j)}, false, yamldoc.Problem{Message: yamldoc.Quote(text) + message})
			} else {
				first[key] = i
			}
		}
	}
}
