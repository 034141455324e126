package content

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
)

// Placeholder starts the description of an entry that kindex collect --new proposes, until a person
// writes one.
const Placeholder = "TODO: describe it"

// checkFacts adds problems with the facts of an entity that are not signals.
func checkFacts(d *yamldoc.Document, e *record.Entity, m map[string]any) {
	checkKind(d, e, m)
	if strings.HasPrefix(e.Description, "TODO") {
		d.Fail([]string{"description"}, "is a placeholder; say in your own words what it is for, and what sets it apart")
	}
	checkIDs(d, e, m)
	if l := e.Lifecycle; l != nil {
		if l.Deprecated > l.Retires && l.Retires != "" && !d.Reported("lifecycle", "retires") && !d.Reported("lifecycle", "deprecated") {
			d.Fail([]string{"lifecycle", "retires"}, l.Retires+" is before deprecated "+l.Deprecated)
		}
		if l.ReplacedBy == e.Key() {
			d.Fail([]string{"lifecycle", "replacedBy"}, "is the entity itself; name its successor")
		}
	}
	for _, v := range e.Values {
		if f := v.Field; f.AtMost != "" {
			most, known := e.Values.Get(f.Group.Name + "." + f.AtMost).(float64)
			if n, _ := v.Value.(float64); known && n > most {
				d.Fail([]string{f.Group.Name, f.Name}, fmt.Sprintf("%.0f is more than the %s, %.0f", n, f.AtMost, most))
			}
		}
	}
	checkSources(d, e, m)
	checkResults(d, e)
	checkOffers(d, e, m)
	checkNamed(d, e)
	checkMaintained(d, e)
}

// checkSources adds a problem for each key of sources that is neither a signal nor a day.
func checkSources(d *yamldoc.Document, e *record.Entity, m map[string]any) {
	sources, _ := m["sources"].(map[string]any)
	for key := range sources {
		if _, err := time.Parse(time.DateOnly, key); err != nil && e.Declared().Signal(key) == nil {
			d.AddAt([]string{"sources", key}, true, yamldoc.Problem{Message: "is neither a signal nor a day (YYYY-MM-DD)",
				Suggestion: didyoumean.Name(key, e.Declared().SignalNames())})
		}
	}
}

// checkResults warns of results that are stated twice.
func checkResults(d *yamldoc.Document, e *record.Entity) {
	first := map[string]int{}
	for i := range e.Signals.Benchmarks {
		b := &e.Signals.Benchmarks[i]
		key := b.Identity() + "\x00" + b.Date
		if at, again := first[key]; again && b.Name != "" {
			d.Warn([]string{"signals", "benchmarks", strconv.Itoa(i)},
				fmt.Sprintf("has the name, details and date of benchmarks[%d]; remove one of them, or state what sets them apart", at))
		} else {
			first[key] = i
		}
	}
}

// checkKind adds a problem for each field that entities of this kind do not have.
func checkKind(d *yamldoc.Document, e *record.Entity, m map[string]any) {
	set := e.Declared()
	kind := set.Kind(e.Type)
	if kind == nil {
		return // of a submission without a valid type
	}
	for name := range m {
		var having []string // the kinds that have it
		for _, k := range set.Kinds {
			if hasMember(k, name) {
				having = append(having, kinds.InSentence(k.Plural))
			}
		}
		var message string
		switch {
		case m[name] == nil || hasMember(kind, name):
			continue
		case having != nil:
			message = "applies only to " + strings.Join(having, ", ") + "; remove it"
		case slices.ContainsFunc(set.Fields, func(f *kinds.Field) bool { return f.Name == name }):
			message = "is a field of no kind; list it in the fields of a kind in kinds.yaml, or remove it"
		default:
			continue // reported as unknown
		}
		d.AddAt([]string{name}, true, yamldoc.Problem{Message: message})
	}
	signals, _ := m["signals"].(map[string]any)
	for name := range signals {
		if s := set.Signal(name); s != nil && !kind.HasSignal(name) || name == "benchmarks" && !kind.HasBlock(kinds.Results) {
			d.AddAt([]string{"signals", name}, true, yamldoc.Problem{Message: "is not a figure of " + kinds.InSentence(kind.Plural) + "; remove it, or add it to their signals in kinds.yaml"})
		}
	}
}

// hasMember reports whether entities of a kind can have a declared field, or a member of a block.
func hasMember(k *kinds.Kind, name string) bool {
	return slices.ContainsFunc(k.Fields, func(f *kinds.Field) bool { return f.Name == name }) ||
		slices.ContainsFunc(k.Blocks, func(block string) bool { return slices.Contains(schema.BlockMembers[block], name) })
}

func hasBlock(e *record.Entity, block string) bool {
	k := e.Declared().Kind(e.Type)
	return k != nil && k.HasBlock(block)
}

// checkMaintained warns of figures without one of maintenance: leaving out a poor figure would raise a score.
func checkMaintained(d *yamldoc.Document, e *record.Entity) {
	known := func(name string) bool { _, ok := e.Signals.Fact(name); return ok }
	repository := slices.ContainsFunc(e.IDs, func(id record.ID) bool { return id.Namespace == "github" || id.Namespace == "gitlab" }) ||
		slices.ContainsFunc(e.Links, func(l record.Link) bool { return l.Name == "repository" })
	if hasBlock(e, kinds.Maintenance) && !hasBlock(e, kinds.Offers) && e.Status != record.Withdrawn && repository && len(e.Signals.Facts) > 0 &&
		!known("lastCommit") && !known("archived") && !known("lastRelease") {
		d.AddAt([]string{"signals"}, true, yamldoc.Problem{Severity: yamldoc.Warning,
			Message: "has figures of a " + kinds.InSentence(e.Declared().Kind(e.Type).Title) + " whose repository is known, but neither lastCommit nor archived nor lastRelease; add one of them"})
	}
}

// unnamed are the pricing models of products that programs cannot use, and that need no name.
var unnamed = []string{"free", "freemium", "subscription"}

// checkNamed warns of a model that ends and has no name by which audits could find the programs that use it.
func checkNamed(d *yamldoc.Document, e *record.Entity) {
	field := ""
	switch {
	case !hasBlock(e, kinds.Offers) || len(e.Offers) > 0 || slices.Contains(unnamed, e.PricingModel):
	case e.Lifecycle != nil && (e.Lifecycle.Deprecated != "" || e.Lifecycle.Retires != ""):
		field = "lifecycle"
	case e.Status == record.Deprecated || e.Status == record.Withdrawn:
		field = "status"
	}
	named := slices.ContainsFunc(e.IDs, func(id record.ID) bool { return ids.NamesModels(id.Namespace) }) ||
		slices.ContainsFunc(e.Links, func(l record.Link) bool { return l.Name == "weights" })
	if field != "" && !named {
		d.AddAt([]string{field}, true, yamldoc.Problem{Severity: yamldoc.Warning,
			Message: "the model ends, but has no ids or offers by which programs that use it can be found; add the names that they send"})
	}
}

// checkIDs adds identifiers that contradict a link.
func checkIDs(d *yamldoc.Document, e *record.Entity, m map[string]any) {
	stated, _ := m["ids"].(map[string]any)
	for _, linked := range record.LinkedIDs(e.Links) {
		same := func(id record.ID) bool {
			return id.Namespace == linked.Namespace && ids.Canonical(id.Namespace, id.Value) == ids.Canonical(id.Namespace, linked.Value)
		}
		if stated[linked.Namespace] != nil && !slices.ContainsFunc(e.IDs, same) {
			link := map[string]string{"github": "repository", "pypi": "package"}[linked.Namespace]
			d.Fail([]string{"ids", linked.Namespace}, "contradicts links."+link+", which is "+yamldoc.Quote(linked.Value)+"; correct one of them")
		}
	}
}

// checkOffers adds problems with each offer, and warnings about unlikely prices.
func checkOffers(d *yamldoc.Document, e *record.Entity, m map[string]any) {
	list, _ := m["offers"].([]any)
	read, _ := m["offersRead"].(map[string]any)
	at := make(map[string]int, len(list)) // by Offer.Key: the index in the file
	for i, v := range list {
		f, ok := v.(map[string]any)
		if !ok {
			continue
		}
		o := record.Offer{Provider: yamldoc.Text(f["provider"]), ID: yamldoc.Text(f["id"])}
		path := []string{"offers", strconv.Itoa(i)}
		if j, known := at[o.Key()]; known && o.ID != "" {
			d.Fail(append(path, "id"), fmt.Sprintf("%s at %s is also offers[%d]; an offer is identified by provider and id", yamldoc.Quote(o.ID), o.Provider, j))
			continue
		}
		at[o.Key()] = i
		next, _ := f["next"].(map[string]any)
		if from, until := yamldoc.Text(next["from"]), yamldoc.Text(f["until"]); from != "" && until >= from {
			d.Fail(append(path, "until"), until+" is not before next.from, "+from)
		} else if from != "" && len(next) == 1 {
			d.Fail(append(path, "next"), "states no price; if only the end of the prices is known, state until")
		}
		if f["free"] == true && yamldoc.Text(f["source"])+yamldoc.Text(read["source"]) == "" {
			d.Fail(append(path, "free"), "needs a source that says so; add source here or to offersRead")
		}
	}
	if !d.Problems.HasErrors() {
		warnOfPrices(d, e, at)
	}
}

// latinLookAlikes maps letters of other scripts to the Latin letters that look the same: an excerpt of
// https://www.unicode.org/Public/security/latest/confusables.txt, without lower-case Greek letters as in νGPT.
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

// mixedWord returns the first word that mixes Latin letters with a look-alike letter from another script, and that
// letter, or 0. Different words may use different scripts.
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

// warnOfTexts warns reviewers of look-alike letters, and of texts that start like spreadsheet formulas.
func warnOfTexts(d *yamldoc.Document, e *record.Entity) {
	for _, f := range []struct{ name, text string }{{"name", e.Name}, {"provider", e.Provider}, {"description", e.Description},
		{"version", e.Version}, {"license", e.License}} {
		if d.Reported(f.name) {
			continue
		}
		if word, letter := mixedWord(f.text); letter != 0 && f.name != "description" {
			d.Warn([]string{f.name}, fmt.Sprintf("%s mixes scripts: %c (%U) only looks like the Latin %c",
				yamldoc.Quote(word), letter, letter, latinLookAlikes[letter]))
		}
		if table.Formula(f.text) && !yamldoc.IsPlainNumber(f.text) {
			d.Warn([]string{f.name}, fmt.Sprintf("starts with %s, so a spreadsheet that opens a CSV export treats it as a formula",
				yamldoc.Quote(string([]rune(f.text)[:1]))))
		}
	}
}
