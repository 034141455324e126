package content

import (
	"fmt"
	"strings"
	"unicode"

	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
	"kindex/exports/table"
)

// latinLookAlikes maps letters of other scripts to the Latin letters that look the same in
// common fonts. It is an excerpt from the confusables of UTS 39
// (https://www.unicode.org/Public/security/latest/confusables.txt), without lower-case Greek
// letters, which names such as νGPT use on purpose.
var latinLookAlikes = lookAlikes(
	"АВЕЅІЈКМНОРСТУХԌԚԜҮаеоѕіјрсухһԁԛԝүӏґ", "ABESIJKMHOPCTYXGQWYaeosijpcyxhdqwylr", // Cyrillic
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϳϹϲ", "ABEZHIKMNOPTYXojCc", // Greek
	"ՕՍԼոսցհօյ", "OULnughoj", // Armenian
	"ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏒᏔᏕᏙᏚᏞᏟᏢᏦᏴ", "DRTiAJEWMHYGhZ4RWSVSLCPKB", // Cherokee
)

func lookAlikes(pairs ...string) map[rune]rune {
	m := map[rune]rune{}
	for i := 0; i < len(pairs); i += 2 {
		latin := []rune(pairs[i+1])
		for j, r := range []rune(pairs[i]) {
			m[r] = latin[j]
		}
	}
	return m
}

// mixedWord returns the first word in a name that mixes Latin letters with a look-alike letter
// from another script, and that letter; the letter is 0 if there is no such word. Different
// words may use different scripts, and letters that do not look like a Latin letter are fine.
func mixedWord(name string) (word string, letter rune) {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }) {
		letter, latin := rune(0), false
		for _, r := range word {
			if latinLookAlikes[r] != 0 && letter == 0 {
				letter = r
			}
			latin = latin || unicode.Is(unicode.Latin, r)
		}
		if latin && letter != 0 {
			return word, letter
		}
	}
	return "", 0
}

// warnOfTexts adds warnings for the reviewer about an entity's strings: look-alike letters, and
// strings that start like spreadsheet formulas.
func warnOfTexts(d *yamldoc.Document, e *record.Entity) {
	for _, f := range []struct{ name, text string }{{"name", e.Name}, {"provider", e.Provider}, {"description", e.Description},
		{"version", e.Version}, {"license", e.License}} {
		if d.Reported(f.name) {
			continue
		}
		if word, letter := mixedWord(f.text); letter != 0 && f.name != "description" {
			d.AddAt([]string{f.name}, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: fmt.Sprintf("%s mixes scripts: %c (%U) only looks like the Latin %c",
				yamldoc.Quote(word), letter, letter, latinLookAlikes[letter])})
		}
		if table.Formula(f.text) && !yamldoc.IsPlainNumber(f.text) {
			d.AddAt([]string{f.name}, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: fmt.Sprintf("starts with %s, so a spreadsheet that opens a CSV export treats it as a formula",
				yamldoc.Quote(string([]rune(f.text)[:1])))})
		}
	}
}
