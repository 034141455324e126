// Package file makes a list, as a file or on the web, a source of figures. A mapping, as for kindex import,
// says which column is which signal. A row belongs to the entity with one of its identifiers
// (ids or links in the mapping) or, if the row has none, with its slug.
package file

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/collect"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer"
	"kindex/builder/importer/mapping"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

type list struct {
	*collect.Source
	kinds    *kinds.Set
	config   collect.FileConfig
	endpoint string                    // instead of scheme and host of all addresses; "" for those of the list
	rows     map[string]collect.Answer // by key
	offers   map[string]collect.Answer // by key
	sellers  map[string]bool           // providers with offers
	drafts   []*importer.Draft         // if rows can be new entries
	day      string                    // on which the figures were read, unless a row states its own
	page     string                    // the source of figures, unless a row states its own
}

// New returns a list as a source, after reading only its mapping. endpoint replaces scheme and host of
// its addresses; "" means those of the list. With an error, the source has it as its Problem.
func New(declared *kinds.Set, config collect.FileConfig, endpoint string) (*collect.Source, error) {
	s := &collect.Source{Name: config.Name, Title: "the list " + config.Name, PerSecond: 5}
	l := &list{Source: s, kinds: declared, config: config, endpoint: strings.TrimSuffix(endpoint, "/"), day: config.Date,
		rows: map[string]collect.Answer{}, offers: map[string]collect.Answer{}, sellers: map[string]bool{}}
	s.Problem = l.readMapping(config.Map)
	if u, err := url.Parse(config.URL); err == nil && config.URL != "" {
		s.Hosts, s.Pages = []string{cmp.Or(l.endpoint, u.Scheme+"://"+u.Host)}, []string{l.page}
	}
	s.Read, s.Identify, s.LookOffer = l.read, l.identify, l.offer
	s.Look = func(key string) collect.Answer { return l.rows[key] }
	s.List = func(context.Context, *collect.Client) (list []collect.Candidate, err error) {
		for _, d := range l.drafts {
			list = append(list, collect.Candidate{Type: d.Type, Slug: d.Slug, Fields: d.Fields})
		}
		return list, nil
	}
	return s, s.Problem
}

func (s *list) read(ctx context.Context, c *collect.Client) error {
	name, data, err := s.rowsOf(ctx, c)
	if err != nil {
		return err
	}
	drafts, err := importer.ReadDrafts(ctx, importer.Options{Kinds: s.kinds, Input: name, Data: data, Mapping: s.config.Map, Date: s.config.Date})
	for _, d := range drafts {
		if d.Type != "" {
			s.addOffers(d)
		}
		if d.Type != "" && d.Slug != "" {
			s.add(d)
		}
	}
	return err
}

// readMapping reads which values the list has, whether or not its rows have them.
func (s *list) readMapping(path string) error {
	data, err := os.ReadFile(path) //nolint:gosec // the operator names the file, or it is inside the repository
	if err != nil {
		return err
	}
	m, problems := mapping.Parse(s.kinds, filepath.ToSlash(path), data)
	if m == nil {
		return problems
	}
	if m.Source != nil {
		s.day, s.page = cmp.Or(s.day, m.Source.Date), m.Source.URL
	}
	for _, name := range slices.Concat([]string{"license", "version", "lifecycle.deprecated", "lifecycle.retires"}, s.kinds.SignalNames()) {
		if m.Find(name) != nil || m.Signals.Figures[name] != nil {
			s.Columns = append(s.Columns, collect.Column{Name: name, Always: always[name]})
		}
	}
	for _, g := range m.Signals.Benchmarks {
		constants := map[string]any{}
		for name, v := range g.Fields {
			constants[name] = v.Constant
		}
		s.Results = append(s.Results, collect.ResultOf(constants))
	}
	if len(m.Signals.Benchmarks) > 0 {
		s.Columns = append(s.Columns, collect.Column{Name: collect.ResultsColumn})
	}
	for _, g := range m.Offers {
		s.Terms = append(s.Terms, slices.Sorted(maps.Keys(g.Fields))...)
		if len(g.Modes) > 0 {
			s.Terms = append(s.Terms, "modes")
		}
	}
	if len(m.Offers) > 0 {
		s.Columns = append(s.Columns, collect.Column{Name: collect.OffersColumn})
	}
	return nil
}

// always lists the signals that every code repository has. A row that has some of them but not all
// was read when the host did not answer.
var always = map[string]bool{"stars": true, "forks": true, "lastCommit": true}

func (s *list) add(d *importer.Draft) {
	a := collect.Answer{Beside: d.Unused, Day: s.day}
	signals, _ := d.Fields["signals"].(map[string]any)
	for _, t := range s.kinds.Signals {
		fact, ok := signals[t.Name].(map[string]any)
		v := collect.Value{Name: t.Name, Source: cmp.Or(yamldoc.Text(fact["source"]), s.page)}
		var err error
		if t.IsDay() {
			v.Text = yamldoc.Text(fact["value"])
		} else {
			v.Number, err = strconv.ParseFloat(fmt.Sprint(fact["value"]), 64)
		}
		if ok && err == nil {
			a.Add(v)
			a.Day = cmp.Or(yamldoc.Text(fact["date"]), a.Day)
		}
	}
	for _, r := range d.Reasons {
		if strings.HasPrefix(r.Field, "signals.") {
			a.Unread = append(a.Unread, r.String())
		}
	}
	results, _ := signals[collect.ResultsColumn].([]any)
	for _, item := range results {
		b := collect.ResultOf(item)
		digits := 1e2
		if math.Abs(b.Value) < 1 {
			digits = 1e4
		}
		b.Value, b.Source = math.Round(b.Value*digits)/digits, cmp.Or(b.Source, s.page)
		a.Results = append(a.Results, b)
	}
	end, _ := d.Fields["lifecycle"].(map[string]any)
	for _, name := range []string{"deprecated", "retires"} {
		if text := yamldoc.Text(end[name]); text != "" {
			a.Add(collect.Value{Name: "lifecycle." + name, Text: text, Source: cmp.Or(yamldoc.Text(end["source"]), s.page)})
		}
	}
	if s.config.New {
		s.drafts = append(s.drafts, d)
	}
	if len(a.Values) > 0 { // a row without figures has no licence or version either
		a.Page = a.Values[0].Source
		a.AddLicense(yamldoc.Text(d.Fields["license"])) // lists also have words such as Other
		a.AddText("version", yamldoc.Text(d.Fields["version"]))
	}
	s.keep(keysOf(d), a)
}

func (s *list) addOffers(d *importer.Draft) {
	list, _ := d.Fields[collect.OffersColumn].([]any)
	read, _ := d.Fields["offersRead"].(map[string]any)
	for _, item := range list {
		data, _ := json.Marshal(item)
		o, err := record.DecodeOffer(data)
		if err != nil {
			continue // as if the list did not have it
		}
		o.Source = cmp.Or(o.Source, yamldoc.Text(read["source"]), s.page)
		a := collect.Answer{ID: o.Key(), Day: cmp.Or(o.Date, yamldoc.Text(read["date"]), s.day), Offer: &o}
		s.sellers[o.Provider] = true
		if _, twice := s.offers[a.ID]; !twice {
			s.offers[a.ID] = a
		}
	}
}

// offer returns what the list has of an offer that was read from it.
func (s *list) offer(o *record.Offer) (a collect.Answer, covered bool) {
	a, known := s.offers[o.Key()]
	if !known {
		a = collect.Answer{ID: o.Key(), Gone: true, Day: s.day}
	}
	return a, s.page != "" && strings.HasPrefix(o.Source, s.page) && s.sellers[o.Provider]
}

// keep stores a row under its keys. Of several rows for one thing, the first one counts, but for
// benchmark results: of several, the newest counts.
func (s *list) keep(keys []string, a collect.Answer) {
	for _, key := range keys {
		held, twice := s.rows[key]
		if !twice {
			a.ID = key
			s.rows[key] = a
			continue
		}
		held.Results = slices.Clone(held.Results)
		for _, b := range a.Results {
			i := slices.IndexFunc(held.Results, func(o record.Benchmark) bool { return o.Identity() == b.Identity() })
			switch {
			case i < 0:
				held.Results = append(held.Results, b)
			case held.Results[i].Date < b.Date:
				held.Results[i] = b
			}
		}
		s.rows[key] = held
	}
}

// keysOf returns the identifiers by which a row is found, or its slug if it has none.
func keysOf(d *importer.Draft) (keys []string) {
	for _, id := range collect.IDsOf(d.Fields) {
		keys = append(keys, key(d.Type, id.Namespace, id.Value))
	}
	if len(keys) == 0 {
		keys = append(keys, d.Type+"/"+d.Slug)
	}
	return keys
}

// anyName is the namespace of a mapping whose identifiers are those of models in any namespace.
const anyName = "model"

func key(typ, namespace, value string) string {
	return typ + " " + namespace + ":" + ids.Canonical(namespace, value)
}

// identify returns the key of the row about an entity. The end of a snapshot is not that of its family: days
// of an announced end count only for the first identifier of an entity in its namespace.
func (s *list) identify(e *record.Entity) string {
	seen := map[string]bool{}
	for _, id := range e.IDs {
		k := key(e.Type, id.Namespace, id.Value)
		if s.has(k) && (!seen[id.Namespace] || !s.ends(k)) {
			return k
		}
		seen[id.Namespace] = true
	}
	// Leaderboards name models as owner/model, whoever the owner is to others.
	for _, id := range e.IDs {
		for _, name := range []string{id.Value, id.Namespace + "/" + id.Value} {
			if k := key(e.Type, anyName, name); ids.NamesModels(id.Namespace) && s.has(k) && !s.ends(k) {
				return k
			}
		}
	}
	if s.has(e.Key()) {
		return e.Key()
	}
	return ""
}

// ends reports whether a row has a day of an announced end.
func (s *list) ends(key string) bool {
	return slices.ContainsFunc(s.rows[key].Values, func(v collect.Value) bool { return strings.HasPrefix(v.Name, "lifecycle.") })
}

func (s *list) has(key string) bool {
	_, ok := s.rows[key]
	return ok
}
