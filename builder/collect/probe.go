package collect

import (
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/time/rate"

	"kindex/exports/safetext"
)

// Probe asks one source for one identifier and writes what came, without looking at guards or
// changing anything. It is for the first run with a network. If id is "", it asks for the first
// entity that the source knows; only Options.Select limits which.
func Probe(ctx context.Context, o Options, source, id string, w io.Writer) error {
	o.Only, o.Cache, o.Accept = []string{source}, "", nil
	r, err := prepare(o)
	if err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	if len(r.asks) == 0 {
		return fmt.Errorf("%s is turned off", source)
	}
	a := r.asks[0]
	if id == "" {
		if len(a.targets) == 0 {
			return fmt.Errorf("%s knows none of the entities", a.info.Title)
		}
		id = a.targets[0].id
	}
	if a.info.NeedsToken && a.client.token == "" {
		return fmt.Errorf("%s needs a token; set %s", a.info.Title, a.info.Token)
	}
	a.client.limits = map[string]*rate.Limiter{}
	answers, err := a.source.Ask(ctx, a.client, []string{id})
	fmt.Fprintf(w, "%s, written from %s\n", a.info.Title, strings.Join(a.info.Pages, ", "))
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
		case answer.Gone:
			fmt.Fprintln(w, "not found")
		case answer.Moved != "":
			fmt.Fprintln(w, "moved to", safetext.Escape(answer.Moved))
		}
		for _, v := range answer.Values {
			fmt.Fprintf(w, "%s: %s (%s)\n", safetext.Escape(v.Name), safetext.Escape(textValue(v.probed())), safetext.Escape(v.Source))
		}
	}
	if len(answers) == 0 {
		return fmt.Errorf("%s gave no answer", a.info.Title)
	}
	return nil
}

// probed returns a value whatever its name is: sources also report what the index has no field
// for.
func (v Value) probed() any {
	if v.Text != "" {
		return v.Text
	}
	return v.Number
}
