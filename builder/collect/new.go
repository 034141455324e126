package collect

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Candidate is a tool or model that a source has.
type Candidate struct {
	Type, Slug string
	Fields     map[string]any // in the form used in files
	Says       map[string]any // what the source says of declared fields, in its form: open_weights for openWeights
	Answer     Answer         // its figures
	Offers     []record.Offer // such as that of its maker
	Sellers    int            // who offer it, as far as the source knows
}

// Entry is a proposed entry: a candidate that the content lacks.
type Entry struct {
	Entity   string   `json:"entity"`
	Sources  []string `json:"sources"`
	IDs      []string `json:"ids"` // any of them in declined declines it
	Sellers  int      `json:"sellers,omitempty"`
	Popular  float64  `json:"popular,omitempty"` // the largest of its stars, downloads a month and likes
	Released string   `json:"released,omitempty"`
	// Like is an entity of which it may be only a version, or "".
	Like string `json:"like,omitempty"`
	YAML string `json:"yaml"`

	fields map[string]any
}

// findNew proposes what sources have and the content lacks, what people would miss first first.
func (r *run) findNew(ctx context.Context) ([]Entry, error) {
	held := view.New(r.content.Entities, nil, view.NewTerms(r.content.Kinds, r.content.Providers), "")
	var list []*Entry
	byID := map[string]*Entry{} // nil for what people have declined
	for _, text := range r.config.Declined {
		if namespace, id, isID := strings.Cut(text, ":"); isID {
			text = idKey(namespace, id)
		}
		byID[text] = nil
	}
	for _, a := range r.asks {
		if a.List == nil || a.Problem != nil || r.Offline && !a.isList() {
			continue
		}
		candidates, err := a.List(ctx, a.client)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			a.report.Error = cmp.Or(a.report.Error, "new entries: "+err.Error())
		}
		for _, c := range candidates {
			if e := r.consider(held, byID, &c, a.Name); e != nil {
				e.fields = r.fieldsOf(&c)
				list = append(list, e)
			}
		}
	}
	entries := []Entry{}
	for _, e := range list {
		if err := r.compose(e); err != nil {
			r.report.Refused = append(r.report.Refused, Problem{Entity: e.Entity, Reason: err.Error()})
			continue
		}
		entries = append(entries, *e)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(-cmp.Compare(a.weight(r.today), b.weight(r.today)), cmp.Compare(a.Entity, b.Entity))
	})
	return entries, nil
}

// fieldsOf returns the fields of a candidate with its figures and offers, without those that could not be
// written to any file, and without prices of 0, which may mean unknown.
func (r *run) fieldsOf(c *Candidate) map[string]any {
	fields := map[string]any{}
	day := cmp.Or(c.Answer.Day, r.today)
	for _, v := range c.Answer.Values {
		if wrong(r.content.Kinds, v, day, r.today) == "" {
			r.set(fields, v, day)
		}
	}
	if k := r.content.Kinds.Kind(c.Type); k != nil {
		for _, f := range k.Fields {
			if v := said(f, c.Says); v != nil {
				fields[f.Name] = v
			}
		}
	}
	maps.Copy(fields, c.Fields)
	var offers []any
	for _, o := range c.Offers {
		o.Date = day
		keepUnknown(&record.Offer{}, &o)
		if r.wrongOffer(c.Type, o, day) == "" {
			offers = append(offers, fieldsOfOffer(&o, ""))
		}
	}
	if len(offers) > 0 {
		fields["offers"] = offers
	}
	return fields
}

var capital = regexp.MustCompile("[A-Z]")

// said returns what a source says under the name of a field, in the form used in files, or nil if that is
// nothing of its type. Words that the field cannot have are left out.
func said(f *kinds.Field, says any) any {
	v := yamldoc.ValueAt(says, []string{strings.ToLower(capital.ReplaceAllString(f.Name, "_$0"))})
	if f.IsGroup() {
		group := map[string]any{}
		for _, part := range f.Parts {
			if x := said(part, v); x != nil {
				group[part.Name] = x
			}
		}
		if len(group) == 0 {
			return nil
		}
		return group
	}
	v = f.Accept(v)
	var words []any
	for _, word := range f.Texts(v) {
		if f.Words() == kinds.Slug {
			word = content.Slugify(word)
		}
		if known := f.Choices(); word != "" && (known == nil || slices.Contains(known, word)) {
			words = append(words, word)
		}
	}
	switch _, isText := v.(string); {
	case words == nil:
		return nil
	case f.IsList():
		return words
	case isText:
		return words[0]
	}
	return v
}

// weight is how much people would miss an entry: ten times the popularity counts as much as twice the
// sellers, a release half a year ago half as much as one of today, and what may be only a version of
// something known a quarter.
func (e *Entry) weight(today string) float64 {
	w := 1 + math.Log2(1+float64(e.Sellers)) + math.Log10(1+e.Popular)
	if e.Like != "" {
		w /= 4
	}
	if e.Released == "" {
		return w / 2
	}
	return w * math.Exp2(-float64(max(age(e.Released, today), 0))/180)
}

func idKey(namespace, value string) string {
	return namespace + ":" + strings.ToLower(ids.Canonical(namespace, value))
}

// IDsOf returns the identifiers in the fields of a file, those in its links included.
func IDsOf(fields map[string]any) (list []record.ID) {
	links, _ := fields["links"].(map[string]any)
	for _, name := range sortedKeys(links) {
		list = append(list, record.LinkedIDs([]record.Link{{Name: name, URL: yamldoc.Text(links[name])}})...)
	}
	stated, _ := fields["ids"].(map[string]any)
	for _, namespace := range sortedKeys(stated) {
		for _, id := range append(yamldoc.Texts(stated[namespace]), yamldoc.Text(stated[namespace])) {
			if id != "" {
				list = append(list, record.ID{Namespace: namespace, Value: id})
			}
		}
	}
	return list
}

// consider returns an entry for a candidate, or nil if it is known or declined, or if another source has it too.
func (r *run) consider(held *view.View, byID map[string]*Entry, c *Candidate, source string) *Entry {
	e := &Entry{Entity: c.Type + "/" + c.Slug, Sources: []string{source}, Sellers: c.Sellers}
	names, keys := []string{c.Slug}, []string{e.Entity}
	_, _, known := held.Find(c.Type, c.Slug)
	for _, id := range IDsOf(c.Fields) {
		e.IDs, keys = append(e.IDs, id.Namespace+":"+id.Value), append(keys, idKey(id.Namespace, id.Value))
		known = known || len(held.FindByID(id.Namespace, id.Value)) > 0
		if ids.NamesModels(id.Namespace) {
			names = append(names, id.Value)
		}
	}
	for _, key := range keys {
		if other, twice := byID[key]; twice {
			if other != nil {
				other.Sources, other.Sellers = append(other.Sources, source), max(other.Sellers, c.Sellers)
			}
			return nil
		}
	}
	if k := r.content.Kinds.Kind(c.Type); k != nil && k.HasBlock(kinds.Offers) {
		for _, name := range names {
			for _, form := range ids.Forms(name, held.IsIDNamespace) {
				if found := held.FindByID(ids.ModelForm, form.Key()); len(found) > 0 {
					known = known || form.Exact
					e.Like = cmp.Or(e.Like, held.Entity(found[0]).Key())
				}
			}
		}
	}
	if known {
		return nil
	}
	for _, key := range keys {
		byID[key] = e
	}
	return e
}

// compose writes the file of an entry. Its description and its category are left to people.
func (r *run) compose(e *Entry) error {
	signals, _ := e.fields["signals"].(map[string]any)
	for _, name := range []string{"stars", "downloads", "huggingfaceDownloads", "pypiDownloads", "npmDownloads", "likes"} {
		x, _ := strconv.ParseFloat(fmt.Sprint(yamldoc.ValueAt(signals, []string{name, "value"})), 64) // 0 without one
		e.Popular = max(e.Popular, x)
	}
	e.Released = yamldoc.Text(yamldoc.ValueAt(signals, []string{"released", "value"}))
	e.fields["description"] = content.Placeholder + " in one or two sentences of your own, for what it is good and what sets it apart."
	if e.fields["category"] == nil {
		e.fields["category"] = "todo"
	}
	if provider := r.provider(e); e.fields["provider"] == nil && provider != "" {
		e.fields["provider"] = provider
	}
	data, err := yamlfmt.Compose(r.content.Kinds, e.fields)
	if err != nil {
		return fmt.Errorf("as a new entry: %w", err)
	}
	e.YAML = string(data)
	return nil
}

// provider returns the provider that most entities of the same owner have, in a namespace with owners, or "".
func (r *run) provider(e *Entry) (best string) {
	times := map[string]int{}
	for _, o := range r.content.Entities {
		if o.Provider != "" && strings.HasPrefix(e.Entity, o.Type+"/") && slices.ContainsFunc(e.IDs, func(id string) bool {
			namespace, value, _ := strings.Cut(id, ":")
			owner, _, owned := strings.Cut(strings.ToLower(value), "/")
			return owned && slices.ContainsFunc(o.IDsIn(namespace), func(other string) bool { return strings.HasPrefix(strings.ToLower(other), owner+"/") })
		}) {
			times[o.Provider]++
		}
	}
	for _, v := range sortedKeys(times) {
		if times[v] > times[best] {
			best = v
		}
	}
	return best
}
