// Package kinds holds what an index declares in kinds.yaml: its kinds of entities, the fields of each
// kind and the signals. An index without the file has the kinds of Default.
package kinds

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Set is the content of a kinds.yaml. It never changes, and its methods may be called concurrently.
type Set struct {
	Kinds   []*Kind   // sorted by name
	Fields  []*Field  // in the order of records
	Signals []*Signal // sorted by name

	// Declared holds the signals in the order of the declaration, which is that of files.
	Declared []*Signal
	// Order holds the kinds in the order of the declaration, which is that of menus.
	Order []*Kind

	Links         []Link      // the valid names of links, in the order of pages
	PricingModels []string    // the valid values of pricingModel
	IDs           []Namespace // of identifiers, besides the built-in ones

	pricing []Link   // PricingModels with their kinds
	leaves  []*Field // the Fields, with the parts of groups in the place of the group
	byPath  map[string]*Field
	signals map[string]*Signal
	growing []string
}

// Link is a declared link of entities.
type Link struct {
	Name, Title, Description string
	Kinds                    []string // of Default: only an index with one of these kinds has it; nil for any
}

// Namespace is a declared namespace of identifiers.
type Namespace struct {
	Name  string
	Title string
	Page  string // the address of an identifier's page, with {id} in its place; "" if there is none
}

// Kind is a kind of entity: the type of an entity, and the folder that contains its file.
type Kind struct {
	Name        string
	Title       string // singular, capitalized
	Plural      string // capitalized
	Description string
	Fields      []*Field // those that its entities can have, in the order of the set
	Signals     []*Signal
	Blocks      []string // those of Blocks that it has
	Card        []string // the facts of its main card: columns or core members
	Columns     []string // the columns of its list and comparison

	// Dimensions maps names of scores to the titles that they have for this kind.
	Dimensions map[string]string
}

// Slug returns the first part of the addresses of the kind's lists: its plural as a slug.
func (k *Kind) Slug() string { return slugOf(k.Plural) }

// The blocks: what the program knows more of than its value.
const (
	Offers      = "offers"      // prices
	Results     = "results"     // of benchmarks
	Lifecycle   = "lifecycle"   // the announced end
	Maintenance = "maintenance" // a state computed from signals
)

// Blocks lists the names of all blocks.
var Blocks = []string{Lifecycle, Maintenance, Offers, Results}

// Signal is a measured figure, with a value, a date and a source.
type Signal struct {
	Name        string   `json:"name" yaml:"-"`
	Type        Type     `json:"type"` // Count, Date or Month
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Unit        string   `json:"unit,omitempty"`
	Grows       bool     `json:"grows,omitempty"` // whether it varies, and the more of it the better
	Steady      bool     `json:"-" yaml:"steady"` // whether it is a size, a limit or a property, which does not vary
	Maximum     *float64 `json:"-" yaml:"maximum"`
}

// IsDay reports whether the values of a signal are dates, not numbers.
func (s *Signal) IsDay() bool { return s.Type != Count && s.Type != Number }

// Varies reports whether a signal is a number that changes over time.
func (s *Signal) Varies() bool { return !s.IsDay() && !s.Steady }

//go:embed default.yaml
var defaultYAML []byte

// Default returns the kinds of an index that declares none: tools and models.
var Default = sync.OnceValue(func() *Set {
	s, err := parse(defaultYAML, nil)
	if err != nil {
		panic("kinds: " + err.Error()) // cannot happen, since the file is embedded
	}
	return s
})

// Names returns the names of the kinds, sorted.
func (s *Set) Names() (names []string) {
	for _, k := range s.Kinds {
		names = append(names, k.Name)
	}
	return names
}

// Kind returns the kind with a name, or nil.
func (s *Set) Kind(name string) *Kind {
	for _, k := range s.Kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Signal returns the signal with a name, or nil.
func (s *Set) Signal(name string) *Signal { return s.signals[name] }

// Growing returns the names of the signals that grow, sorted.
func (s *Set) Growing() []string { return s.growing }

// Listing returns the kinds whose entities can have a field, or the group that it is a part of.
func (s *Set) Listing(f *Field) (list []*Kind) {
	for _, k := range s.Kinds {
		if k.Has(f) {
			list = append(list, k)
		}
	}
	return list
}

// Leaves returns the fields that have values, in the order of records: groups are replaced by their
// parts.
func (s *Set) Leaves() []*Field { return s.leaves }

// Stated returns those of some fields that entity files can say: all but the computed ones, and the groups of
// nothing else.
func Stated(fields []*Field) []*Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f *Field) bool {
		return f.ComputedFrom != "" || f.IsGroup() && len(Stated(f.Parts)) == 0
	})
}

// Field returns the field with a path, such as parameters.total, or nil.
func (s *Set) Field(path string) *Field { return s.byPath[path] }

// Find returns the leaf with a name: the name of its column, or that of its filter.
func (s *Set) Find(name string) *Field {
	for _, f := range s.leaves {
		if f.Column() == name {
			return f
		}
	}
	for _, f := range s.leaves {
		if f.SortKey() == name {
			return f
		}
	}
	return nil
}

// HasBlock reports whether any kind has a block.
func (s *Set) HasBlock(block string) bool {
	return slices.ContainsFunc(s.Kinds, func(k *Kind) bool { return k.HasBlock(block) })
}

// With returns the kinds that have a block.
func (s *Set) With(block string) []*Kind {
	return slices.DeleteFunc(slices.Clone(s.Kinds), func(k *Kind) bool { return !k.HasBlock(block) })
}

// Has reports whether the entities of a kind can have a field, which may be part of a group.
func (k *Kind) Has(f *Field) bool {
	return slices.ContainsFunc(k.Fields, func(own *Field) bool { return own == f || own == f.Group })
}

// HasSignal reports whether the entities of a kind can have a signal.
func (k *Kind) HasSignal(name string) bool {
	return slices.ContainsFunc(k.Signals, func(s *Signal) bool { return s.Name == name })
}

// HasBlock reports whether the entities of a kind have a block.
func (k *Kind) HasBlock(name string) bool { return slices.Contains(k.Blocks, name) }

// Title returns the title of a field or signal, or "" if there is neither.
func (s *Set) Title(name string) string {
	if x := s.signals[name]; x != nil {
		return x.Title
	}
	for _, f := range slices.Concat(s.Fields, s.leaves) {
		if f.Path == name {
			return f.Title
		}
	}
	return ""
}

// NamedTitle returns the title of a link or pricing model, or "" if there is neither. Kinds can have the same names.
func (s *Set) NamedTitle(name string) string {
	for _, l := range slices.Concat(s.Links, s.pricing) {
		if l.Name == name {
			return l.Title
		}
	}
	return ""
}

// InSentence returns a title for use within a sentence: with a small first letter, unless its first word
// looks like a name, as those of "PyPI downloads" and "Hugging Face downloads" do.
func InSentence(title string) string {
	first, rest, _ := strings.Cut(title, " ")
	isName := strings.ContainsFunc(first[min(1, len(first)):], unicode.IsUpper)
	if next, _ := utf8.DecodeRuneInString(rest); isName || unicode.IsUpper(next) {
		return title
	}
	return strings.ToLower(first) + title[len(first):]
}

// HasTitle reports whether a field or signal has a title.
func (s *Set) HasTitle(title string) bool {
	return slices.ContainsFunc(s.Fields, func(f *Field) bool { return f.Title == title }) ||
		slices.ContainsFunc(s.Signals, func(x *Signal) bool { return x.Title == title })
}

// InSentence returns the title of a field or signal for use within a sentence. Only the titles of Default are English
// for sure, so others stay as they are declared.
func (s *Set) InSentence(name string) string {
	title := s.Title(name)
	if title == Default().Title(name) {
		return InSentence(title)
	}
	return title
}

// index computes what lookups need.
func (s *Set) index() {
	s.Order = slices.Clone(s.Kinds)
	slices.SortFunc(s.Kinds, func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
	s.Declared = slices.Clone(s.Signals)
	slices.SortFunc(s.Signals, func(a, b *Signal) int { return strings.Compare(a.Name, b.Name) })
	s.signals = map[string]*Signal{}
	for _, x := range s.Signals {
		if s.signals[x.Name] = x; x.Grows {
			s.growing = append(s.growing, x.Name)
		}
	}
	s.byPath = map[string]*Field{}
	add := func(f *Field) {
		f.index = len(s.leaves)
		s.byPath[f.Path] = f
		s.leaves = append(s.leaves, f)
	}
	for _, f := range s.Fields {
		if !f.IsGroup() {
			add(f)
		}
		for _, part := range f.Parts {
			add(part)
		}
	}
	for _, f := range s.leaves {
		if from := s.byPath[f.ComputedFrom]; from != nil {
			from.Computed = append(from.Computed, f)
		}
	}
}

// What the block offers reads of an entity besides its offers, if the index declares it.
const (
	ContextSignal  = "contextTokens"  // how many tokens a request may contain
	OutputSignal   = "outputTokens"   // how many tokens a response may contain
	OutputModality = "outputModality" // the filter of the kinds of output
)

// OfferFilters are the filters of entities by which their offers are filtered too.
var OfferFilters = []string{"family", "modality"}

// FieldJSON is a declared field as the API shows it.
type FieldJSON struct {
	*Field
	Column  string      `json:"column,omitempty"`  // of its table, unless it has parts
	Filters []string    `json:"filters,omitempty"` // the parameters that filter by it
	Sort    string      `json:"sort,omitempty"`    // the key that sorts by it
	Parts   []FieldJSON `json:"parts,omitempty"`
}

// KindJSON is a kind as the API shows it.
type KindJSON struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Plural      string            `json:"plural"`
	Path        string            `json:"path"` // of its list on the website
	Description string            `json:"description,omitempty"`
	Fields      []string          `json:"fields"`
	Signals     []string          `json:"signals"`
	Blocks      []string          `json:"blocks"`
	Card        []string          `json:"card,omitempty"`
	Columns     []string          `json:"columns,omitempty"`
	Dimensions  map[string]string `json:"dimensions,omitempty"`
}

// JSON returns the kind as the API shows it.
func (k *Kind) JSON() KindJSON {
	j := KindJSON{Name: k.Name, Title: k.Title, Plural: k.Plural, Path: "/" + k.Slug() + "/", Description: k.Description,
		Fields: []string{}, Signals: []string{}, Blocks: append([]string{}, k.Blocks...), Card: k.Card, Columns: k.Columns, Dimensions: k.Dimensions}
	for _, f := range k.Fields {
		j.Fields = append(j.Fields, f.Name)
	}
	for _, s := range k.Signals {
		j.Signals = append(j.Signals, s.Name)
	}
	return j
}

// FieldsJSON returns the fields as the API shows them, in the order of records.
func (s *Set) FieldsJSON() []FieldJSON { return fieldsJSON(s.Fields) }

func fieldsJSON(fields []*Field) []FieldJSON {
	list := []FieldJSON{}
	for _, f := range fields {
		j := FieldJSON{Field: f}
		if f.IsGroup() {
			j.Parts = fieldsJSON(f.Parts)
		} else {
			j.Column = f.Column()
		}
		lowest, highest := f.Limits()
		j.Filters = slices.DeleteFunc([]string{lowest, highest}, func(name string) bool { return name == "" })
		if f.Filter && len(j.Filters) == 0 && !f.IsGroup() {
			j.Filters = []string{f.Query}
		}
		if f.Sort && !f.IsGroup() {
			j.Sort = f.SortKey()
		}
		list = append(list, j)
	}
	return list
}

// SignalsJSON returns the signals as the API shows them, in the order of the declaration.
func (s *Set) SignalsJSON() []*Signal {
	return append([]*Signal{}, s.Declared...)
}
