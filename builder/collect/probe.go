package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/time/rate"

	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Probe asks one source for one identifier and writes the answer, without applying guards or
// changing anything. It is for the first run with a network. If id is "", it asks for the first
// entity that the source covers; only Options.Select limits which.
func Probe(ctx context.Context, o Options, source, id string, w io.Writer) error {
	o.Only, o.Cache, o.Accept = []string{source}, "", nil
	r, err := prepare(o)
	if err != nil {
		return err
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if len(r.asks) == 0 {
		return fmt.Errorf("%s is turned off in collect.yaml", source)
	}
	a := r.asks[0]
	if a.info.Problem != "" {
		return errors.New(a.info.Problem)
	}
	var first *record.Entity // whose offers are asked for, too
	if id == "" {
		if len(a.targets) == 0 {
			return fmt.Errorf("%s covers none of the selected entities", a.info.Title)
		}
		id, first = a.targets[0].id, a.targets[0].entity
	}
	if a.info.NeedsToken && a.client.token == "" {
		return fmt.Errorf("%s needs a token; set %s", a.info.Title, a.info.Token)
	}
	a.client.limits, a.client.seldom = map[string]*rate.Limiter{}, map[string]bool{id: true}
	asked := []string{id}
	for _, t := range a.offers {
		if t.entity == first {
			asked = append(asked, t.id)
		}
	}
	answers, err := a.source.Ask(ctx, a.client, asked)
	fmt.Fprintf(w, "%s, documented at %s\n", a.info.Title, strings.Join(a.info.Pages, ", "))
	stats := a.client.stats
	fmt.Fprintf(w, "%s: %d requests, %d bytes\n", safetext.Escape(id), stats.Requests, stats.Bytes)
	for _, to := range stats.Redirects {
		fmt.Fprintf(w, "redirect from %s to %s, which was not followed\n", safetext.Escape(to.From), safetext.Escape(to.To))
	}
	if err != nil {
		return err
	}
	for _, answer := range answers {
		switch {
		case answer.Problem != "":
			fmt.Fprintln(w, safetext.Escape(answer.Problem))
		case answer.Gone && IsOfferID(answer.ID):
			fmt.Fprintln(w, safetext.Escape(answer.ID), "not found")
		case answer.Gone:
			fmt.Fprintln(w, "not found")
		case answer.Offer != nil:
			fmt.Fprintf(w, "%s: %s (%s)\n", safetext.Escape(answer.ID), shownOffer(&answer.Offer.Offer), safetext.Escape(answer.Offer.Source))
		case answer.Moved != "":
			fmt.Fprintln(w, "moved to", safetext.Escape(answer.Moved))
		}
		for _, v := range answer.Values {
			fmt.Fprintf(w, "%s: %s (%s)\n", safetext.Escape(v.Name), safetext.Escape(v.probed()), safetext.Escape(v.Source))
		}
		for _, b := range answer.Results {
			fmt.Fprintf(w, "%s: %s (%s)\n", safetext.Escape(b.FoldedName()), number(b.Value), safetext.Escape(b.Source))
		}
	}
	if len(answers) == 0 {
		return fmt.Errorf("%s gave no answer", a.info.Title)
	}
	return nil
}

// probed returns a value whatever its name is: sources also report what the index has no field
// for.
func (v Value) probed() string { return cmp.Or(v.Text, number(v.Number)) }
