package record

import (
	"regexp"
	"slices"
	"strings"
)

// Names of benchmark results used to contain their details in parentheses, such as
// "Terminal-Bench (Artificial Analysis, 2.1, Codex, medium)": who published it, the version
// or the dataset, the harness, and the variant. Unfold takes such names apart. FoldedName
// is its inverse; changes are compared and identified by it, so that taking a name apart is
// no change.

// What the details in parentheses may be.
var (
	foldedPublishers = []string{"Artificial Analysis", "Scale", "swebench.com"}
	foldedHarnesses  = []string{"Claude Code", "Codex", "Codex CLI", "Cursor CLI", "Gemini CLI", "Mini-SWE-Agent", "Terminus-2"}
	foldedEfforts    = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	foldedDatasets   = []string{"hard-aa", "public"}
	foldedVersion    = regexp.MustCompile(`^[0-9]+(\.[0-9]+)+$`)
)

// comparison follows the maker that published a table of several makers' models.
const comparison = " comparison"

// Unfold moves the details that the name of a result contains into their fields. It leaves
// a name alone whose parentheses contain anything else, and a result that has details.
func (b *Benchmark) Unfold() {
	name, rest, _ := strings.Cut(b.Name, " (")
	rest, ok := strings.CutSuffix(rest, ")")
	if !ok || *b != (Benchmark{Name: b.Name, Value: b.Value, Date: b.Date, Source: b.Source}) {
		return
	}
	u := Benchmark{Name: name, Value: b.Value, Date: b.Date, Source: b.Source}
	for i, part := range strings.Split(rest, ", ") {
		maker, compared := strings.CutSuffix(part, comparison)
		switch {
		case i == 0 && part == ByMaker:
			u.By = ByMaker
		case i == 0 && compared:
			u.By, u.Publisher = ByMaker, maker
		case i == 0 && slices.Contains(foldedPublishers, part):
			u.By, u.Publisher = ByIndependent, part
		case foldedVersion.MatchString(part):
			u.Version = part
		case slices.Contains(foldedDatasets, part):
			u.Dataset = part
		case slices.Contains(foldedHarnesses, part):
			u.Harness = part
		case slices.Contains(foldedEfforts, part):
			u.Variant = part
		default:
			return
		}
	}
	if u.FoldedName() == b.Name {
		*b = u
	}
}

// FoldedName returns the name of a result with its details in parentheses.
func (b *Benchmark) FoldedName() string {
	publisher := b.Publisher
	switch {
	case b.By == ByMaker && publisher != "":
		publisher += comparison
	case b.By == ByMaker:
		publisher = ByMaker
	}
	parts := []string{publisher, b.Version, b.Dataset, b.Harness, b.Variant}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return b.Name
	}
	return b.Name + " (" + strings.Join(parts, ", ") + ")"
}

// Identity returns a string that is equal for two results with the same name and details,
// also if one of them has a folded name.
func (b *Benchmark) Identity() string {
	apart := *b
	apart.Unfold()
	name := apart.FoldedName()
	again := Benchmark{Name: name, Value: b.Value, Date: b.Date, Source: b.Source}
	if again.Unfold(); again == apart {
		return name
	}
	return strings.Join([]string{name, apart.Metric, apart.Harness, apart.Variant, apart.Dataset, apart.Version, apart.By, apart.Publisher}, "\x00")
}
