package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
)

const formula = `{"version": "1", "types": {
  "tool": {"minimumCoverage": 0, "dimensions": {"adoption": {"weight": 1, "prior": 0, "minimumCoverage": 0, "measures": [
    {"signal": "stars", "map": "log", "full": 100, "weight": 1, "staleAfter": 365},
    {"signal": "forks", "map": "log", "full": 100, "weight": 1, "staleAfter": 730},
    {"signal": "contributors", "map": "log", "full": 100, "weight": 1, "staleAfter": 365},
    {"signal": "downloads", "map": "log", "full": 100, "weight": 1}]}}},
  "model": {"minimumCoverage": 0, "dimensions": {"quality": {"weight": 1, "prior": 0, "minimumCoverage": 0, "measures": [
    {"benchmark": "B", "map": "linear", "from": 0, "to": 100, "weight": 1, "staleAfter": 365}]}}}}}`

func facts(list ...record.Fact) *record.Entity {
	return &record.Entity{Type: "tool", Slug: "a", Status: record.Active, Signals: record.Signals{Facts: list}}
}

func TestStale(t *testing.T) {
	f := suite.Must(score.ParseChecked(kinds.Default(), []byte(formula)))(t)
	fact := func(name, date string) record.Fact { return record.Fact{Name: name, Number: 5, Date: date} }
	benchmark := func(dates ...string) *record.Entity {
		e := &record.Entity{Type: "model", Slug: "a", Status: record.Active}
		for _, d := range dates {
			e.Signals.Benchmarks = append(e.Signals.Benchmarks, record.Benchmark{Name: "B", Value: 5, Date: d})
		}
		return e
	}
	withdrawn := facts(fact("stars", "2020-01-01"))
	withdrawn.Status = record.Withdrawn
	for name, c := range map[string]struct {
		e    *record.Entity
		want string // figure and the day on which it expires, or ""
	}{
		"no figures":                {facts(), ""},
		"fresh":                     {facts(fact("stars", "2026-11-20")), ""},
		"305 days old":              {facts(fact("stars", "2026-01-22")), ""},
		"306 days old":              {facts(fact("stars", "2026-01-21")), "stars 2027-01-21"},
		"too old":                   {facts(fact("stars", "2024-01-02")), "stars 2025-01-01"},
		"another figure counts":     {facts(fact("stars", "2024-01-01"), fact("forks", "2025-11-20")), ""},
		"the longest counts":        {facts(fact("forks", "2024-06-01"), fact("stars", "2024-07-01")), "forks 2026-06-01"},
		"another limit":             {facts(fact("contributors", "2025-06-01")), "contributors 2026-06-01"},
		"never too old":             {facts(fact("downloads", "2001-01-01")), ""},
		"not in the formula":        {facts(fact("likes", "2001-01-01")), ""},
		"without a date":            {facts(fact("stars", "")), ""},
		"from the future":           {facts(fact("stars", "2027-01-01")), ""},
		"withdrawn":                 {withdrawn, ""},
		"a benchmark":               {benchmark("2025-02-03"), "benchmark: B 2026-02-03"},
		"the newest of benchmarks":  {benchmark("2025-02-03", "2026-11-01"), ""},
		"a benchmark and its month": {benchmark("2026-01"), "benchmark: B 2027-01-01"},
	} {
		asOf := time.Date(2026, 11, 23, 15, 0, 0, 0, time.UTC)
		r := Stale([]*record.Entity{c.e}, f, asOf, 60)
		got := ""
		for _, s := range r.Stale {
			got = s.Figure + " " + s.Expires
		}
		suite.Equal(t, got, c.want, name)
	}
}

func TestWithoutSuccessor(t *testing.T) {
	var entities []*record.Entity
	for i, c := range []struct {
		status string
		l      *record.Lifecycle
	}{
		{record.Active, nil},
		{record.Deprecated, nil},
		{record.Deprecated, &record.Lifecycle{Retires: "2027-01-01"}},
		{record.Deprecated, &record.Lifecycle{ReplacedBy: "tool/e0"}},
		{record.Active, &record.Lifecycle{Deprecated: "2026-11-23"}},
		{record.Active, &record.Lifecycle{Deprecated: "2026-11-24"}},
		{record.Withdrawn, &record.Lifecycle{Deprecated: "2026-11-01"}},
	} {
		entities = append(entities, &record.Entity{Type: "tool", Slug: fmt.Sprintf("e%d", i), Status: c.status, Lifecycle: c.l})
	}
	r := Stale(entities, &score.Formula{}, time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), 60)
	if got := strings.Join(r.WithoutSuccessor, " "); got != "tool/e1 tool/e2 tool/e4" || r.Checked != 6 {
		t.Errorf("%s of %d", got, r.Checked)
	}
}
