package collect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"kindex/builder/plural"
	"kindex/exports/quality"
	"kindex/exports/safetext"
)

// Report is the result of a run.
type Report struct {
	Day      string            `json:"day"`
	DryRun   bool              `json:"dryRun"`
	Files    int               `json:"files"` // entity files that were changed, or would be in a dry run
	Sources  []SourceReport    `json:"sources"`
	Changes  []Change          `json:"changes"`  // the largest first
	Stopped  []quality.Stopped `json:"stopped"`  // by entity
	Accepted []quality.Stopped `json:"accepted"` // values that a guard would have stopped, but a person let through
	// Routine is set if nothing in the run asks for a person's judgement: only figures moved, all
	// within the guards. Nothing was stopped, accepted or refused, and no other field changed.
	Routine bool      `json:"routine"`
	New     []Entry   `json:"new,omitempty"` // what the content lacks, what people would miss first first
	Gone    []Problem `json:"gone"`          // identifiers that the source does not know
	Failed  []Problem `json:"failed"`        // identifiers without an answer, and figures in lists that cannot be read
	Refused []Problem `json:"refused"`       // files that could not be changed
}

// SourceReport is what became of one source.
type SourceReport struct {
	Name     string `json:"name"`
	Covers   int    `json:"covers"`   // entities that it covers, among those selected
	Offers   int    `json:"offers"`   // offers that it keeps current, in those entities
	Fresh    int    `json:"fresh"`    // entities whose figures are recent enough
	Asked    int    `json:"asked"`    // identifiers asked in this run
	Answered int    `json:"answered"` // of those
	Kept     int    `json:"kept"`     // answers of an earlier run that were used
	Failed   int    `json:"failed"`

	Unchanged int `json:"unchanged"` // values; an offer is one
	Changed   int `json:"changed"`   // values, with those that are new; each price and limit is one
	Redated   int `json:"redated"`   // unchanged values with a new date
	Older     int `json:"older"`     // values that are older than what the file has
	Stopped   int `json:"stopped"`   // values; each price and limit is one

	Requests    int           `json:"requests"`
	NotModified int           `json:"notModified"`
	Bytes       int64         `json:"bytes"` // of bodies, decompressed
	Waited      time.Duration `json:"waitedNanoseconds"`
	Redirects   []Redirect    `json:"redirects,omitempty"` // to other hosts, which were not followed
	Error       string        `json:"error,omitempty"`     // the reason the source ended early, or ""
}

// Redirect is a redirect to an address that does not belong to the source.
type Redirect struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Change is a value that a run changed.
type Change struct {
	Entity  string `json:"entity"`
	Name    string `json:"name"`
	Source  string `json:"source"`
	Old     any    `json:"old"` // nil if there was none
	New     any    `json:"new"`
	OldDate string `json:"oldDate,omitempty"`
	Date    string `json:"date"`
	reason  string // why a person must look at it, or ""
	figure  bool   // it is a signal or a version, which changes every week
}

func (c *Change) stopped() quality.Stopped {
	return quality.Stopped{Entity: c.Entity, Name: c.Name, Source: c.Source, Held: c.Old, Found: c.New, Reason: c.reason}
}

// Problem is an identifier or a file, with what is wrong with it.
type Problem struct {
	Entity string `json:"entity"`
	Source string `json:"source,omitempty"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`
}

// Broken lists the sources that answered nothing although they were asked.
func (r *Report) Broken() (names []string) {
	for _, s := range r.Sources {
		if s.Answered == 0 && (s.Error != "" || s.Failed > 0) {
			names = append(names, s.Name)
		}
	}
	return names
}

// undecided returns what guards stopped, without what collect.yaml refuses.
func (r *Report) undecided() []quality.Stopped {
	return slices.DeleteFunc(slices.Clone(r.Stopped), func(s quality.Stopped) bool { return s.Reason == refusedReason })
}

// split returns the changes of figures, and all others.
func (r *Report) split() (figures, others []Change) {
	for _, c := range r.Changes {
		if c.figure {
			figures = append(figures, c)
		} else {
			others = append(others, c)
		}
	}
	return figures, others
}

// sort puts the lists in an order that does not depend on the run.
func (r *Report) sort() {
	slices.SortFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(-cmp.Compare(a.size(), b.size()), cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Name, b.Name))
	})
	for _, list := range [][]quality.Stopped{r.Stopped, r.Accepted} {
		sortBy(list, func(s quality.Stopped) string { return s.Entity + "\x00" + s.Name })
	}
	for _, list := range [][]Problem{r.Gone, r.Failed, r.Refused} {
		sortBy(list, func(p Problem) string { return p.Entity + "\x00" + p.Source + "\x00" + p.ID })
	}
}

func sortBy[T any](list []T, key func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// size is how much a count changed, as a factor. Larger counts weigh more, because small ones vary.
func (c Change) size() float64 {
	old, ok1 := c.Old.(float64)
	now, ok2 := c.New.(float64)
	if !ok1 || !ok2 {
		return 0
	}
	return math.Abs(math.Log((now+1)/(old+1))) * math.Log10(max(now, old)+1)
}

// How many entries a list in a readable report has. The JSON form has them all.
const (
	maxListed  = 50
	maxFigures = 10 // figures that moved: nobody reads more of them
	maxFiles   = 20 // new entries with their files
	maxAlike   = 5  // figures stopped for the same reason
)

// WriteJSON writes the whole report.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteMarkdown writes the report for a pull request: first what a person must decide. Everything that
// comes from a source is in code, in which forges make neither links nor mentions.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Figures as of %s\n\n%s %s\n", r.Day, r.summary(), r.advice())
	for _, s := range r.Sources {
		if s.Error != "" {
			fmt.Fprintf(&b, "\n%s ended early: %s\n", code(s.Name), code(s.Error))
		}
		for _, to := range s.Redirects {
			fmt.Fprintf(&b, "\n%s redirects %s to %s, which was not followed.\n", code(s.Name), code(to.From), code(to.To))
		}
	}
	stopped := func(s quality.Stopped) string {
		return fmt.Sprintf("%s %s: %s instead of %s (%s)", code(s.Entity), code(s.Name), shownValue(s.Found), shownValue(s.Held), code(s.Source))
	}
	byReason(&b, "Stopped by a guard", "The old figures are kept. To let one through: `kindex collect --accept TYPE/SLUG:NAME`.", r.undecided(), stopped)
	byReason(&b, "Accepted by hand", "A guard would have stopped these.", r.Accepted, stopped)
	change := func(c Change) string {
		return fmt.Sprintf("%s %s: %s → %s (%s)", code(c.Entity), code(c.Name), shownValue(c.Old), shownValue(c.New), code(c.Source))
	}
	figures, others := r.split()
	list(&b, "Prices, results, licences and dates", "", maxListed, others, change)
	r.writeNew(&b)
	list(&b, "Largest changes of figures", "For scores and ranks, see `kindex diff`.", maxFigures, figures, change)
	problem := func(p Problem) string { return fmt.Sprintf("%s: %s", code(p.Entity), code(p.Reason)) }
	list(&b, "No longer found", "Nothing was changed.", maxListed, r.Gone, problem)
	list(&b, "Not answered", "The next run asks again.", maxFigures, r.Failed, problem)
	if n := len(r.Stopped) - len(r.undecided()); n > 0 {
		fmt.Fprintf(&b, "\n%s refused in `collect.yaml`.\n", plural.Count(n, "value was", "values were"))
	}
	list(&b, "Files that could not be changed", "", maxListed, r.Refused, problem)
	b.WriteString("\n<details><summary>Sources</summary>\n\n" +
		"| Source | Covers | Offers | Asked | Answered | Kept | Unchanged | Changed | New date | Older | Stopped | Failed | Requests | Waited |\n" +
		"| --- |" + strings.Repeat(" ---: |", 13) + "\n")
	for _, s := range r.Sources {
		fmt.Fprintf(&b, "| %s |", code(s.Name))
		for _, n := range []int{s.Covers, s.Offers, s.Asked, s.Answered, s.Kept, s.Unchanged, s.Changed, s.Redated, s.Older, s.Stopped, s.Failed, s.Requests} {
			fmt.Fprintf(&b, " %d |", n)
		}
		fmt.Fprintf(&b, " %v |\n", s.Waited.Round(time.Second))
	}
	b.WriteString("\n</details>\n")
	_, err := io.WriteString(w, bounded(b.String()))
	return err
}

func (r *Report) advice() string {
	_, others := r.split()
	broken := slices.DeleteFunc(slices.Clone(r.Sources), func(s SourceReport) bool { return s.Error == "" })
	var parts []string
	add := func(n int, one, many, after string) {
		if n > 0 {
			parts = append(parts, plural.Count(n, one, many)+after)
		}
	}
	add(len(r.undecided()), "figure", "figures", " that a guard stopped")
	add(len(r.Accepted), "figure", "figures", " that you accepted")
	add(len(others), "change", "changes", " of prices, results, licences or dates")
	add(len(r.New), "new entry", "new entries", "")
	add(len(broken), "source that ended early", "sources that ended early", "")
	read := slices.ContainsFunc(r.Sources, func(s SourceReport) bool { return s.Answered+s.Kept+s.Fresh > 0 })
	switch {
	case len(parts) > 0:
		return "Look at " + strings.Join(parts, ", ") + "."
	case !read:
		return "Nothing was read: no source has an answer."
	}
	return "Only figures moved, all within the guards: nothing needs a look."
}

// writeNew writes all new entries in a table, and the files of the first ones, which a person can copy.
func (r *Report) writeNew(b *strings.Builder) {
	if len(r.New) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### New entries (%d)\n\nThe content lacks these. Copy a file, write its description, and open a pull request; "+
		"or add one of its identifiers to `declined` in `collect.yaml`.\n\n| Entry | Sellers | Stars or downloads | Released | Sources | May be |\n| --- | ---: | ---: | --- | --- | --- |\n", len(r.New))
	for _, e := range r.New[:min(len(r.New), maxListed)] {
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s |\n", code(e.Entity), e.Sellers, number(e.Popular), code(e.Released), code(strings.Join(e.Sources, ", ")), code(e.Like))
	}
	if n := len(r.New) - maxListed; n > 0 {
		fmt.Fprintf(b, "\nand %d more\n", n)
	}
	for _, e := range r.New[:min(len(r.New), maxFiles)] {
		fence := "```"
		for strings.Contains(e.YAML, fence) {
			fence += "`"
		}
		if b.Len()+len(e.YAML) > maxMarkdown*2/3 {
			b.WriteString("\nThe JSON report has the other files.\n")
			break
		}
		fmt.Fprintf(b, "\n<details><summary>%s.yaml</summary>\n\n%syaml\n%s%s\n\n</details>\n", e.Entity, fence, safetext.EscapeLines(e.YAML), fence)
	}
}

// maxMarkdown leaves room for the workflow in the 65,536 characters that GitHub accepts for a pull request.
const maxMarkdown = 60_000

func bounded(text string) string {
	if len(text) <= maxMarkdown {
		return text
	}
	return text[:strings.LastIndexByte(text[:maxMarkdown], '\n')+1] + "\nThe rest is too long for a pull request; the JSON report has everything.\n"
}

func (r *Report) summary() string {
	verb := "changed"
	if r.DryRun {
		verb = "would change (dry run)"
	}
	return fmt.Sprintf("%s %s; %s, %s stopped by guards.", plural.Count(r.Files, "file", "files"), verb,
		plural.Count(len(r.Changes), "new figure", "new figures"), plural.Count(len(r.Stopped), "figure", "figures"))
}

func list[T any](b *strings.Builder, title, hint string, most int, items []T, line func(T) string) {
	if len(items) > 0 {
		fmt.Fprintf(b, "\n### %s (%d)\n\n%s", title, len(items), strings.TrimPrefix(hint+"\n\n", "\n\n"))
		listed(b, "- ", most, items, line)
	}
}

func listed[T any](b *strings.Builder, start string, most int, items []T, line func(T) string) {
	for _, item := range items[:min(len(items), most)] {
		b.WriteString(start + line(item) + "\n")
	}
	if n := len(items) - most; n > 0 {
		fmt.Fprintf(b, "%sand %d more\n", start, n)
	}
}

// byReason groups values by reason: in a bad week of a source, one stands for hundreds of figures.
func byReason(b *strings.Builder, title, hint string, items []quality.Stopped, line func(quality.Stopped) string) {
	groups := map[string][]quality.Stopped{}
	for _, s := range items {
		groups[s.Reason] = append(groups[s.Reason], s)
	}
	reasons := slices.SortedFunc(maps.Keys(groups), func(x, y string) int {
		return cmp.Or(-cmp.Compare(len(groups[x]), len(groups[y])), cmp.Compare(groups[x][0].Entity, groups[y][0].Entity), cmp.Compare(x, y))
	})
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s (%d)\n\n%s\n\n", title, len(items), hint)
	listed(b, "- ", maxListed, reasons, func(reason string) string {
		group := groups[reason]
		if len(group) == 1 {
			return line(group[0]) + ": " + code(reason)
		}
		var inner strings.Builder
		listed(&inner, "  - ", maxAlike, group, line)
		return fmt.Sprintf("%s, %d times:\n%s", code(reason), len(group), strings.TrimSuffix(inner.String(), "\n"))
	})
}

// code returns a code span with a text on one line, which cannot end the span or the cell of a table.
func code(s string) string {
	s = safetext.Shorten(safetext.OneLine(safetext.Strip(s)), 300)
	s = strings.NewReplacer("`", "'", "|", "¦").Replace(s)
	if strings.TrimSpace(s) == "" {
		return "–"
	}
	return "`" + s + "`"
}

func shownValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case float64:
		return number(v)
	}
	return code(fmt.Sprint(v))
}
