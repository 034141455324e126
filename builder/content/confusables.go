package content

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
	"kindex/exports/safetext"
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

// latinSkeleton returns a name with its look-alike letters replaced by Latin ones, or "" if
// it has no look-alike letters.
func latinSkeleton(name string) string {
	name = norm.NFKC.String(name)
	if !strings.ContainsFunc(name, func(r rune) bool { return latinLookAlikes[r] != 0 }) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if twin := latinLookAlikes[r]; twin != 0 {
			return twin
		}
		return r
	}, name)
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
		if len(d.Faulty) > 0 && d.Faulty[f.name] {
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

// lookAlike returns a message if an entity's name looks like the name of another entity, or ""
// if it does not. find returns the name by which messages refer to the entity with a given type
// and name, or "" if there is none.
func lookAlike(e *record.Entity, find func(typ, name string) string) string {
	if e == nil {
		return ""
	}
	skeleton := latinSkeleton(e.Name)
	if skeleton == "" {
		return ""
	}
	for _, typ := range e.Declared().Names() {
		if other := find(typ, skeleton); other != "" {
			return yamldoc.Quote(e.Name) + " looks like the name of " + other + " but is spelled with different letters: " + otherLetters(e.Name)
		}
	}
	return ""
}

// otherLetters lists the letters of a name that look like Latin ones.
func otherLetters(name string) string {
	var list []string
	for _, r := range name {
		if latinLookAlikes[r] != 0 && len(list) < 3 {
			list = append(list, safetext.Describe(r))
		}
	}
	return strings.Join(list, ", ")
}
