package croissant

import (
	"cmp"
	"fmt"

	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/table"
	"kindex/exports/view"
)

type recordSet struct {
	Type        string      `json:"@type"`
	ID          string      `json:"@id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Key         []reference `json:"key"`
	Fields      []field     `json:"field"`
}

type field struct {
	Type        string `json:"@type"`
	ID          string `json:"@id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	DataType    any    `json:"dataType"` // a string or a list of strings
	IsArray     bool   `json:"isArray,omitempty"`
	ArrayShape  string `json:"arrayShape,omitempty"`
	Source      source `json:"source"`
}

type source struct {
	FileObject reference `json:"fileObject"`
	Extract    extract   `json:"extract"`
}

type extract struct {
	Column   string `json:"column,omitempty"`
	JSONPath string `json:"jsonPath,omitempty"`
}

type reference struct {
	ID string `json:"@id"`
}

type records struct {
	id, text, file string
	key            []string
	columns        []table.Column
	columnar       bool // whether the file has columns rather than a JSON array of objects
}

// recordSets returns the record sets of a build. Tables are read from their
// Parquet files, the only format with types and lists.
func recordSets(declared *kinds.Set) []records {
	list := []records{
		{"entities", "The listed entities.", exports.EntitiesFile + ".parquet", []string{"type", "slug"}, table.EntityColumns, true},
		{"entities_full", "The listed entities, with every column.", exports.FullFile + ".parquet", []string{"type", "slug"}, table.FullColumns(declared), true},
	}
	for _, k := range declared.Order {
		columns := table.KindColumns(declared, k)
		list = append(list, records{exports.KindFile(k.Name), fmt.Sprintf("The listed entities of the type %s, with the columns of that type.", k.Name),
			exports.KindFile(k.Name) + ".parquet", []string{"type", "slug"}, columns, true})
	}
	return append(list, []records{
		{"signals", "The figures of the listed entities.", exports.SignalsFile + ".parquet", []string{"type", "slug", "signal"}, table.SignalColumns, true},
		{"benchmarks", "The benchmark results of the listed models.", exports.BenchmarksFile + ".parquet",
			[]string{"type", "slug", "benchmark", "metric", "harness", "variant", "dataset", "version", "by", "publisher", "date", "source"}, table.BenchmarkColumns, true},
		{"offers", "The offers of the listed models, with their tiers and modes.", exports.OffersFile + ".parquet",
			[]string{"type", "slug", "provider", "id", "mode", "over"}, table.OfferColumns, true},
		{"ids", "The identifiers of the listed entities.", exports.IDsFile + ".parquet", []string{"type", "slug", "namespace", "id"}, table.IDColumns, true},
		{"changelog", "What changed, when and in which commit.", exports.ChangelogFile + ".parquet", []string{"id"}, table.ChangeColumns, true},
		{"leaderboard", "The leaderboard of all categories. The leaderboards of single categories have the same fields.",
			exports.LeaderboardsFile, []string{"rank"}, table.LeaderboardColumns, false},
		{"categories", "The categories.", exports.CategoriesFile, []string{"slug"}, categoryColumns, false},
	}...)
}

var categoryColumns = []table.Column{
	{Name: "slug", Kind: table.Text}, {Name: "formerly", Kind: table.List}, {Name: "title", Kind: table.Text}, {Name: "description", Kind: table.Text},
	{Name: "count", Kind: table.Integer}, {Name: "ranked", Kind: table.Integer},
}

func (r *records) describe(declared *kinds.Set) recordSet {
	s := recordSet{Type: "cr:RecordSet", ID: r.id, Name: r.id, Description: r.text}
	for _, name := range r.key {
		s.Key = append(s.Key, reference{r.id + "/" + name})
	}
	path := "$"
	if r.file == exports.LeaderboardsFile {
		path += "." + view.AllBoard
	}
	for _, c := range r.columns {
		f := field{Type: "cr:Field", ID: r.id + "/" + c.Name, Name: c.Name, Description: meaning(declared, r.id, c.Name),
			DataType: dataType(c), Source: source{FileObject: reference{r.file}}}
		if r.columnar {
			f.Source.Extract.Column = c.Name
		} else {
			f.Source.Extract.JSONPath = path + "[*]." + c.Name
		}
		if c.Kind == table.List || c.Kind == table.Numbers {
			f.IsArray, f.ArrayShape = true, "-1" // one dimension of any length
		}
		s.Fields = append(s.Fields, f)
	}
	return s
}

func dataType(c table.Column) any {
	switch c.Kind {
	case table.Decimal, table.Number, table.Money:
		return "sc:Float"
	case table.Boolean:
		return "sc:Boolean"
	case table.Integer:
		return "sc:Integer"
	case table.Date:
		return "sc:Date"
	case table.Timestamp:
		return []string{"sc:DateTime", "sc:Date"} // some loaders recognize only the second
	}
	if c.Name == "url" {
		return []string{"sc:Text", "sc:URL"}
	}
	return "sc:Text"
}

func meaning(declared *kinds.Set, set, name string) string {
	if text, ok := ownMeanings[set+"/"+name]; ok {
		return text
	}
	return cmp.Or(meanings[name], table.Meaning(declared, name))
}

var meanings = map[string]string{
	"slug":              "Identifier of the entity, unique within its type.",
	"type":              "The type of entity.",
	"name":              "The name as its provider writes it.",
	"provider":          "Who develops or publishes it.",
	"description":       "What it is and does, in plain words.",
	"category":          "The slug of its category.",
	"version":           "The latest known version, null if unknown.",
	"pricingModel":      "The pricing model, such as open-source or usage-based.",
	"license":           "An SPDX expression or the licence's name, null if unknown.",
	"url":               "The URL of its main page.",
	"tags":              "Slugs of its topics.",
	"capabilities":      "Slugs of its capabilities.",
	"composite":         "The composite score from 0 to 100, null if there is not enough data.",
	"adoption":          "The adoption score from 0 to 100, null if unknown.",
	"quality":           "The quality score from 0 to 100, null if unknown.",
	"freshness":         "The freshness score from 0 to 100, null if unknown.",
	"citations":         "The citation score from 0 to 100, null if unknown.",
	"engagement":        "The engagement score from 0 to 100, null if unknown.",
	"addedDate":         "The day on which it was added to the index.",
	"lastUpdated":       "The day of its latest change in the index.",
	"rank":              "The rank on the leaderboard, starting at 1.",
	"id":                "Permanent identifier of the change.",
	"event":             "What happened: entity.created, entity.updated or entity.deleted.",
	"timestamp":         "When it happened, in UTC.",
	"changes":           "The changed fields with their old and new values, as JSON text.",
	"commit":            "The commit in the content repository, null outside version control.",
	"author":            "Who made the commit, null outside version control.",
	"pullRequest":       "The number of the pull request, null if there was none.",
	"title":             "The display name of the category.",
	"count":             "The number of listed entities in the category.",
	"ranked":            "The number of entities on the category's leaderboard.",
	"status":            "active, deprecated or withdrawn.",
	"maintenance":       "How actively it was maintained as of maintenanceAsOf: active, slow, dormant or archived, null if unknown.",
	"maintenanceAsOf":   "The day on which the maintenance was read.",
	"retires":           "The day from which it is no longer available, null if none is announced.",
	"replacedBy":        "Its successor, as type/slug.",
	kinds.ContextSignal: "How many tokens a request may contain.",
	"priceInput":        "US dollars per million input tokens.",
	"priceOutput":       "US dollars per million output tokens.",
	"priceBlended":      "US dollars per million tokens, three quarters of them input.",
	"signal":            "The name of the figure.",
	"value":             "The value, null if the figure is a day.",
	"day":               "The value, if it is a day (YYYY-MM-DD) or a month (YYYY-MM).",
	"date":              "When it was read, or the day of the result.",
	"source":            "Where it was read.",
	"benchmark":         "The name of the benchmark.",
	"metric":            "What was measured.",
	"harness":           "The program that ran the model.",
	"variant":           "How the model was run, such as the reasoning effort.",
	"dataset":           "The part of the benchmark.",
	"by":                "Who ran it: maker, independent or community.",
	"publisher":         "Who published the result.",
	"mode":              "How requests are sent, such as batch, null for the standard mode.",
	"over":              "The row applies to inputs longer than this many tokens, null if it is not a tier.",
	"context":           "How many tokens a request may contain.",
	"outputLimit":       "How many tokens a response may contain.",
	"free":              "Whether prices of 0 are intended.",
	"deprecated":        "Whether the provider advises against it.",
	"namespace":         "Where the identifier is used, such as pypi.",
	"input":             "US dollars per million input tokens, null if unknown.",
	"output":            "US dollars per million output tokens, null if unknown.",
	"cacheRead":         "US dollars per million input tokens that are read from a cache, null if unknown.",
	"cacheWrite":        "US dollars per million input tokens that are written to a cache, null if unknown.",
	"reasoningOutput":   "US dollars per million reasoning tokens, null if unknown.",
	"inputAudio":        "US dollars per million tokens of audio input, null if unknown.",
	"outputAudio":       "US dollars per million tokens of audio output, null if unknown.",
	"image":             "US dollars per image, null if unknown.",
	"request":           "US dollars per request, null if unknown.",
}

// ownMeanings overrides field descriptions in individual record sets.
var ownMeanings = map[string]string{
	"benchmarks/version":     "The version of the benchmark.",
	"offers/provider":        "The slug of the provider, as in providers.json.",
	"offers/id":              "The name of the model at the provider.",
	"ids/id":                 "The identifier in the namespace.",
	"ids/url":                "The page of the identifier, null if the namespace has no pages.",
	"entities_full/rank":     "The rank by composite score among all entities of the same type, null if it is not ranked.",
	"categories/slug":        "Identifier of the category.",
	"categories/formerly":    "Earlier identifiers of the category.",
	"categories/description": "What belongs in the category, null if not stated.",
	"changelog/slug":         "The slug of the entity after the change, or before its deletion.",
	"changelog/name":         "The name of the entity after the change, or before its deletion.",
}
