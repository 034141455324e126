package query

import (
	"errors"
	"strconv"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/exports/where"
)

var allowed = append([]string{"limit", "offset", "cursor", "sort", "order", "fields", "q", "facets"}, where.Filters(kinds.Default())...)

func TestUnknownParameterNamesTheNearest(t *testing.T) {
	for raw, want := range map[string]string{"limt=3": "limit", "categry=x": "category", "minscore=3": "minScore", "zzz=1": ""} {
		_, err := Parse(kinds.Default(), raw, allowed)
		var e *Error
		suite.Holds(t, errors.As(err, &e) && e.Unknown && e.Suggestion == want, raw, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, raw := range []string{
		"limit=0", "limit=1001", "limit=x", "limit=", "limit=1&limit=2", "limit=99999999999999999999", "limit=-1", "limit=1.5", "limit=%2B5", "minScore=0x1p3", "minScore=1e1",
		"offset=-1", "offset=1&cursor=x", "cursor=x", "cursor=%21", "sort=rank", "order=up", "type=robot", "status=old",
		"pricingModel=fre", "category=nope", "tag=", "tag=a,,b", "minScore=101", "minScore=-1", "minScore=NaN", "minScore=x",
		"addedSince=2024-02-30", "addedSince=yesterday", "updatedSince=2024", "fields=nmae", "fields=",
		"modality=txt", "modality=text,", "outputModality=Texts", "openWeights=yes", "maintenance=old", "family=",
		"maxPrice=-1", "maxPrice=free", "maxPrice=0.0000001", "maxPrice=1e3", "maxPrice=1000000.5", "maxPrice=.", "maxPrice=1&maxPrice=2",
		"minContext=0", "minContext=", "minContext=128kk", "minContext=2147483648", "retiresBefore=2026", "retiresBefore=2026-02-30",
		"signal=", "signal=stars", "signal=stars=1", "signal=stars>1", "signal=stars>==1", "signal=star>=1", "signal=>=1", "signal=benchmarks>=1",
		"signal=stars>=", "signal=stars>=-1", "signal=stars>=1e3", "signal=stars>=2026-01-31", "signal=lastCommit>=1", "signal=lastCommit>=2026-01", "signal=lastCommit>=",
		"signal=stars>=1kk", "sort=signal", "sort=signal.star", "sort=benchmarks", "sort=retires",
		"type=%zz", "a=%", "=", "=x",
	} {
		err := readAll(raw)
		suite.Holds(t, err != nil, raw, "was accepted")
	}
}

// readAll reads all parameters that a list accepts.
func readAll(raw string) error {
	p, err := Parse(kinds.Default(), raw, allowed)
	if err != nil {
		return err
	}
	p.Filter([]string{"nlp"}, view.NewTerms(kinds.Default(), nil))
	p.Sort()
	if p.Has("fields") {
		p.List("fields", record.RecordFields(kinds.Default()))
	}
	p.Page(p.Canonical("cursor", "limit", "offset"))
	return p.Err
}

// TestMinScoreIsNotRounded: records with a score slightly below minScore are excluded.
func TestMinScoreIsNotRounded(t *testing.T) {
	for given, want := range map[string]float64{"40.04": 40.1, "40.06": 40.1, "99.99": 100, "0.00": 0} {
		p := suite.Must(Parse(kinds.Default(), "minScore="+given, allowed))(t)
		if f := p.Filter(nil, view.NewTerms(kinds.Default(), nil)); p.Err != nil || f.MinScore != record.ScoreOf(want) {
			t.Errorf("minScore=%s: %v, %v", given, f, p.Err)
		}
	}
	for tenths := range 1001 { // exact values are unchanged
		given := strconv.FormatFloat(float64(tenths)/10, 'f', 1, 64)
		p := suite.Must(Parse(kinds.Default(), "minScore="+given, allowed))(t)
		if f := p.Filter(nil, view.NewTerms(kinds.Default(), nil)); p.Err != nil || f.MinScore.String() != given {
			t.Errorf("minScore=%s: %v, %v", given, f, p.Err)
		}
	}
}

func TestFilter(t *testing.T) {
	p := suite.Must(Parse(kinds.Default(), "tag=a,b&tag=c&provider=Foo,+Inc.&type=tool&minScore=50&addedSince=2024-01-31", allowed))(t)
	f := p.Filter(nil, view.NewTerms(kinds.Default(), nil))
	suite.Require(t, p.Err == nil, p.Err)
	suite.Holds(t, len(f.Fields["tag"]) == 2 && len(f.Fields["tag"][0]) == 2 &&
		f.Fields["provider"][0][0] == "Foo, Inc." && f.MinScore.Float() == 50 && f.AddedSince == "2024-01-31", f)
}

func TestSuggestions(t *testing.T) {
	for raw, want := range map[string]string{
		"signal=star>=1000": "stars>=1000", "signal=stars>1000": "stars>=1000", "signal=stars<10": "stars<=10", "signal=lastcommit>=2026-01-31": "lastCommit>=2026-01-31",
		"maxPrice=0.12345678": "0.123457", "sort=signal.star": "signal.stars", "sort=prices": "price", "maintenance=archive": "archived", "openWeights=ture": "true",
		"limit=99999999999999999999999": "1000", "limit=0": "1", "limit=2k": "1000", "limit=1k": "1000", "limit=x": "", "offset=-5": "0", "minContext=99999999999999999999": "2147483647",
		"minContext=-1": "1", "minContext=128kk": "", "minContext=200.000": "200000", "minScore=101": "100", "minScore=-1": "0", "minScore=1,5": "1.5", "minScore=x": "", "maxPrice=-1": "0",
		"maxPrice=1000000.5": "1000000", "maxPrice=free": "", "sort=stars": "signal.stars", "fields=stars": "", "minParameters=99999999999999999999": "1000000000000000",
	} {
		var e *Error
		err := readAll(raw)
		suite.Holds(t, errors.As(err, &e) && e.Suggestion == want, raw, err, want)
	}
}

// TestCase: the names of values are read alike by all parameters, in upper or lower case.
func TestCase(t *testing.T) {
	p := suite.Must(Parse(kinds.Default(), "type=Tool&category=NLP&sort=Signal.STARS&order=ASC&fields=Slug,NAME,slug&limit=5", allowed))(t)
	f, s := p.Filter([]string{"nlp"}, view.NewTerms(kinds.Default(), nil)), p.Sort()
	suite.Holds(t, f.Fields["type"][0][0] == "tool" && f.Fields["category"][0][0] == "nlp" && s == view.Sort{Key: "signal.stars"}, f, s)
	suite.Equal(t, p.List("fields", record.RecordFields(kinds.Default())), []string{"slug", "name"})
	suite.Equal(t, p.AnyOf("type", []string{"TOOL", "Tool"}), []string{"Tool"}, "values that differ in case only")
	suite.Require(t, p.Err == nil, p.Err)
}

func TestDefaultOrder(t *testing.T) {
	for key, desc := range map[string]bool{"name": false, "price": false, "context": true, "signal.stars": true, "composite": true, "addedDate": true} {
		p := suite.Must(Parse(kinds.Default(), "sort="+key, allowed))(t)
		s := p.Sort()
		suite.Holds(t, p.Err == nil && s == (view.Sort{Key: key, Desc: desc}), key, s, p.Err)
	}
}

func TestCursorRoundTrip(t *testing.T) {
	r := 12.3456
	for _, c := range []Cursor{{Position: view.Position{Value: "897", Type: "tool", Slug: "a-b"}},
		{Position: view.Position{Type: "model", Slug: "x"}, Relevance: &r}} {
		got, err := ParseCursor(c.String("scope"), "scope")
		if err != nil || got.Position != c.Position || (c.Relevance != nil && *got.Relevance != r) {
			t.Errorf("%+v %v", got, err)
		}
		suite.Fails(t, suite.Err(ParseCursor(c.String("scope"), "other")), "different request")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("limit=5&sort=name&tag=a,b&cursor=abc")
	f.Add("%zz=1;&&=")
	f.Add("=")
	f.Add("=\x9d")
	f.Fuzz(func(t *testing.T, raw string) {
		var e *Error
		if err := readAll(raw); err != nil && (!errors.As(err, &e) || e.Param == "" || e.Message == "") {
			t.Errorf("%q: %v", raw, err)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add(Cursor{Position: view.Position{Value: "1", Type: "tool", Slug: "a"}}.String("s"))
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCursor(s, "s")
		if err != nil {
			return
		}
		again, err := ParseCursor(c.String("s"), "s")
		suite.Holds(t, err == nil && again.Position == c.Position, s, c, "became", again, err)
	})
}

// noNames replaces no values.
