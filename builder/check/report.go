package check

import (
	"fmt"
	"io"
	"strings"

	"kindex/builder/plural"
	"kindex/exports/safetext"
)

// WriteText writes the report for a terminal.
func (r *StaleReport) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.Stale {
		verb := "expires"
		if s.Expires < r.Day {
			verb = "expired"
		}
		line(&b, "stale: %s: its newest figure (%s, read on %s) %s on %s", s.Entity, s.Figure, s.Read, verb, s.Expires)
	}
	for _, key := range r.WithoutSuccessor {
		line(&b, "deprecated without a successor: %s", key)
	}
	fmt.Fprintf(&b, "%s: %d stale within %s, %d deprecated without a successor\n", plural.Count(r.Checked, "entity", "entities"),
		len(r.Stale), plural.Count(r.Within, "day", "days"), len(r.WithoutSuccessor))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteText writes the report for a terminal.
func (r *LinksReport) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, l := range r.Dead {
		line(&b, "dead: %s (%s): %s", l.Address, l.Reason, l.at())
	}
	for _, l := range r.Unclear {
		line(&b, "unclear: %s (%s): %s", l.Address, l.Reason, l.at())
	}
	fmt.Fprintf(&b, "%s: %d alive, %d dead, %d unclear", plural.Count(r.Links, "link", "links"), r.Alive, len(r.Dead), len(r.Unclear))
	if r.Unchecked > 0 {
		fmt.Fprintf(&b, ", %d not checked", r.Unchecked)
	}
	fmt.Fprintf(&b, "; %s\n", plural.Count(r.Requests, "request", "requests"))
	_, err := io.WriteString(w, b.String())
	return err
}

// at lists the places of a link.
func (l *Link) at() string {
	list := make([]string, len(l.Places))
	for i, p := range l.Places {
		list[i] = p.Entity + " " + p.Field
	}
	return strings.Join(list, ", ")
}

func line(b *strings.Builder, format string, args ...any) {
	b.WriteString(safetext.Escape(fmt.Sprintf(format, args...)) + "\n")
}
