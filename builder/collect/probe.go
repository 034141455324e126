package collect

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"kindex/exports/safetext"
)

// Probe asks one source for one identifier and writes the answer, without applying guards or
// changing anything. It is for the first run with a network. If id is "" or an entity, as type/slug, it asks
// for the first entity that the source covers, or for that one.
func Probe(ctx context.Context, o Options, source, id string, w io.Writer) error {
	o.Only, o.Select, o.Cache, o.Accept = []string{source}, nil, "", nil
	r, err := prepare(o)
	if err != nil {
		return err
	}
	if kind, _, _ := strings.Cut(id, "/"); r.content.Kinds.Kind(kind) != nil {
		if r.entities, err = SelectEntities(r.entities, o.Content, []string{id}); err != nil {
			return err
		}
		id = ""
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if len(r.asks) == 0 {
		return fmt.Errorf("%s is turned off in collect.yaml", source)
	}
	a := r.asks[0]
	if err := cmp.Or(a.Problem, a.lacksToken()); err != nil {
		return err
	}
	var answers []Answer
	if id == "" { // the first entity, with its offers
		if len(a.targets) == 0 {
			return fmt.Errorf("%s covers none of the selected entities", a.Title)
		}
		id = a.targets[0].id
		for _, t := range a.offers {
			if t.entity == a.targets[0].entity {
				answer := a.used[t.id]
				if err := a.failed[t.id]; err != nil {
					answer.Problem = err.Error()
				}
				answers = append(answers, answer)
			}
		}
	}
	if a.isList() {
		answers = append([]Answer{a.Look(id)}, answers...)
	} else {
		a.client.seldom = map[string]bool{id: true}
		answers, err = a.Ask(ctx, a.client, []string{id})
	}
	show := func(format string, args ...any) { fmt.Fprintln(w, safetext.Escape(fmt.Sprintf(format, args...))) }
	show("%s, documented at %s", a.Title, strings.Join(a.Pages, ", "))
	show("%s: %d requests, %d bytes", id, a.report.Requests, a.report.Bytes)
	for _, to := range a.report.Redirects {
		show("redirect from %s to %s, which was not followed", to.From, to.To)
	}
	for _, answer := range answers {
		switch {
		case answer.Problem != "":
			show("%s", answer.Problem)
		case answer.Gone:
			show("%s: not found", answer.ID)
		case answer.Offer != nil:
			show("%s: %s (%s)", offerName(answer.Offer), shownOffer(answer.Offer), answer.Offer.Source)
		case answer.Moved != "":
			show("moved to %s", answer.Moved)
		}
		for _, v := range answer.Values { // whatever they are: the index has no field for some
			show("%s: %s (%s)", v.Name, cmp.Or(v.Text, number(v.Number)), v.Source)
		}
		for _, b := range answer.Results {
			show("%s: %s (%s)", b.FoldedName(), number(b.Value), b.Source)
		}
	}
	if err == nil && len(answers) == 0 {
		err = fmt.Errorf("%s gave no answer", a.Title)
	}
	return err
}
