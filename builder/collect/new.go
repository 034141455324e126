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
	k := r.known()
	var list []*Entry
	byID := map[string]*Entry{}
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
			r.addFacts(&c)
			list = k.consider(list, byID, &c, a.Name)
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

// addFacts adds the figures and offers of a candidate to its fields, without those that could not be
// written to any file, and without prices of 0, which may mean unknown.
func (r *run) addFacts(c *Candidate) {
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
	c.Fields = fields
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
	return w * math.Exp2(-float64(max(age((e.Released + "-01")[:10], today), 0))/180)
}

// known is what the content has, or people have declined.
type known struct {
	kinds    *kinds.Set
	ids      map[string]string // entities by identifier, as namespace:id, and type/slug
	forms    map[string]string // those that can have offers, by the forms of their names
	declined map[string]bool
	owners   map[string]bool // slugs of providers
}

func (r *run) known() *known {
	k := &known{kinds: r.content.Kinds, ids: map[string]string{}, forms: map[string]string{}, declined: map[string]bool{}, owners: map[string]bool{}}
	for _, p := range r.content.Providers {
		k.owners[p.Slug] = true
	}
	for _, e := range r.content.Entities {
		for _, slug := range append([]string{e.Slug}, e.Formerly...) {
			k.ids[e.Type+"/"+slug] = e.Key()
		}
		names := []string{e.Slug}
		for _, id := range e.IDs {
			k.ids[idKey(id.Namespace, id.Value)] = e.Key()
			if ids.NamesModels(id.Namespace) {
				names = append(names, id.Value)
			}
		}
		for i := range e.Offers {
			names = append(names, e.Offers[i].ID)
		}
		if !hasOffers(k.kinds, e.Type) {
			continue
		}
		for _, name := range names {
			forms, _ := ids.IndexForms(name)
			for _, form := range forms {
				k.forms[form] = e.Key()
			}
		}
	}
	for _, text := range r.config.Declined {
		namespace, id, isID := strings.Cut(text, ":")
		if isID {
			text = idKey(namespace, id)
		}
		k.declined[text] = true
	}
	return k
}

// hasOffers reports whether entities of a kind can have offers, as models do.
func hasOffers(declared *kinds.Set, kind string) bool {
	k := declared.Kind(kind)
	return k != nil && k.HasBlock(kinds.Offers)
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

// consider adds a candidate to the list, unless it is known or declined. What another source has too is
// one entry, with the facts of both.
func (k *known) consider(list []*Entry, byID map[string]*Entry, c *Candidate, source string) []*Entry {
	e := &Entry{Entity: c.Type + "/" + c.Slug, Sources: []string{source}, Sellers: c.Sellers, fields: c.Fields}
	names, keys := []string{c.Slug}, []string{e.Entity}
	for _, id := range IDsOf(c.Fields) {
		e.IDs, keys = append(e.IDs, id.Namespace+":"+id.Value), append(keys, idKey(id.Namespace, id.Value))
		if ids.NamesModels(id.Namespace) {
			names = append(names, id.Value)
		}
	}
	for _, key := range keys {
		if k.ids[key] != "" || k.declined[key] {
			return list
		}
		if held := byID[key]; held != nil {
			held.join(e)
			return list
		}
	}
	if hasOffers(k.kinds, c.Type) {
		var same bool
		if e.Like, same = k.model(names); same {
			return list
		}
	}
	for _, key := range keys {
		byID[key] = e
	}
	return append(list, e)
}

// model returns the model that one of some names can mean, and whether it means nothing else.
func (k *known) model(names []string) (like string, same bool) {
	for _, name := range names {
		for _, form := range ids.Forms(name, func(slug string) bool { return k.owners[slug] }) {
			found := k.forms[form.Key()]
			if found != "" && form.Exact {
				return found, true
			}
			like = cmp.Or(like, found)
		}
	}
	return like, false
}

// join adds what another source says. What a source of higher precedence says is kept.
func (e *Entry) join(o *Entry) {
	e.Sources, e.Sellers = append(e.Sources, o.Sources...), max(e.Sellers, o.Sellers)
	for name, v := range o.fields {
		inner, isMap := e.fields[name].(map[string]any)
		more, _ := v.(map[string]any)
		switch {
		case e.fields[name] == nil:
			e.fields[name] = v
		case isMap:
			merged := maps.Clone(more)
			maps.Copy(merged, inner)
			e.fields[name] = merged
		}
	}
}

// compose writes the file of an entry. Its description is left to people, and so is its category unless
// most models of its kind have the same.
func (r *run) compose(e *Entry) error {
	signals, _ := e.fields["signals"].(map[string]any)
	for _, name := range []string{"stars", "downloads", "huggingfaceDownloads", "pypiDownloads", "npmDownloads", "likes"} {
		x, _ := strconv.ParseFloat(fmt.Sprint(yamldoc.ValueAt(signals, []string{name, "value"})), 64) // 0 without one
		e.Popular = max(e.Popular, x)
	}
	e.Released = yamldoc.Text(yamldoc.ValueAt(signals, []string{"released", "value"}))
	e.fields["description"] = content.Placeholder + " in one or two sentences of your own, for what it is good and what sets it apart."
	if e.fields["category"] == nil {
		e.fields["category"] = cmp.Or(r.mostly(func(o *record.Entity) string { return o.Category }, e.alike), "todo")
	}
	if provider := r.mostly(func(o *record.Entity) string { return o.Provider }, e.related); e.fields["provider"] == nil && provider != "" {
		e.fields["provider"] = provider
	}
	data, err := yamlfmt.Compose(r.content.Kinds, e.fields)
	if err != nil {
		return fmt.Errorf("as a new entry: %w", err)
	}
	e.YAML = string(data)
	return nil
}

// alike reports whether an entity has the same words in the lists of choices that the entry has, such as the
// kinds of input and output of a model.
func (e *Entry) alike(o *record.Entity) bool {
	any := false
	for _, f := range o.Declared().Leaves() {
		if words := yamldoc.Texts(yamldoc.ValueAt(e.fields, strings.Split(f.Path, "."))); f.IsList() && f.Choices() != nil && len(words) > 0 {
			if any = true; !slices.Equal(o.Values.Texts(f.Path), words) {
				return false
			}
		}
	}
	return any
}

// related reports whether an entity is of the same owner in one of the namespaces with owners.
func (e *Entry) related(o *record.Entity) bool {
	return o.Type+"/" == e.Entity[:len(o.Type)+1] && slices.ContainsFunc(e.IDs, func(id string) bool {
		namespace, value, _ := strings.Cut(id, ":")
		owner, _, owned := strings.Cut(value, "/")
		return owned && slices.ContainsFunc(o.IDsIn(namespace), func(other string) bool { return strings.HasPrefix(strings.ToLower(other), strings.ToLower(owner)+"/") })
	})
}

// mostly returns the value that most of the chosen entities have, or "".
func (r *run) mostly(value func(*record.Entity) string, chosen func(*record.Entity) bool) (best string) {
	times := map[string]int{}
	for _, o := range r.content.Entities {
		if v := value(o); v != "" && chosen(o) {
			times[v]++
		}
	}
	for _, v := range sortedKeys(times) {
		if times[v] > times[best] {
			best = v
		}
	}
	return best
}
