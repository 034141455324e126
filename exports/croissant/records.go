package croissant

import (
	"kindex/exports"
	"kindex/exports/table"
)

// recordSet is what the records of a file consist of ("RecordSet").
type recordSet struct {
	Type        string      `json:"@type"`
	ID          string      `json:"@id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Key         []reference `json:"key"`
	Fields      []field     `json:"field"`
}

// field is one field of a record ("Field").
type field struct {
	Type        string `json:"@type"`
	ID          string `json:"@id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	DataType    any    `json:"dataType"` // a text, or several
	IsArray     bool   `json:"isArray,omitempty"`
	ArrayShape  string `json:"arrayShape,omitempty"`
	Source      source `json:"source"`
}

// source is where the values of a field are ("DataSource").
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

// records is a set of records and the file that they are read from.
type records struct {
	id, text, file string
	key            []string
	columns        []table.Column
	columnar       bool // the file has columns; else it is a JSON array of objects
}

// recordSets are those of a build that has the files. Tables are read from their
// Parquet form, the only one that has types and lists of its own.
func recordSets() []records {
	return []records{
		{"entities", "The listed tools and models.", exports.EntitiesFile + ".parquet", []string{"type", "slug"}, table.EntityColumns, true},
		{"changelog", "What has changed, when and by which commit.", exports.ChangelogFile + ".parquet", []string{"id"}, table.ChangeColumns, true},
		{"leaderboard", "The leaderboard of all categories. Those of single categories have the same fields.",
			exports.LeaderboardFile(exports.AllBoard), []string{"rank"}, table.LeaderboardColumns, false},
		{"categories", "The categories of entities.", exports.CategoriesFile, []string{"slug"}, categoryColumns, false},
	}
}

// categoryColumns are the fields of an exports.Category.
var categoryColumns = []table.Column{
	{Name: "slug", Kind: table.Text}, {Name: "title", Kind: table.Text}, {Name: "description", Kind: table.Text},
	{Name: "count", Kind: table.Integer}, {Name: "ranked", Kind: table.Integer},
}

func (r *records) describe() recordSet {
	s := recordSet{Type: "cr:RecordSet", ID: r.id, Name: r.id, Description: r.text}
	for _, name := range r.key {
		s.Key = append(s.Key, reference{r.id + "/" + name})
	}
	for _, c := range r.columns {
		f := field{Type: "cr:Field", ID: r.id + "/" + c.Name, Name: c.Name, Description: meaning(r.id, c.Name),
			DataType: dataType(c), Source: source{FileObject: reference{r.file}}}
		if r.columnar {
			f.Source.Extract.Column = c.Name
		} else {
			f.Source.Extract.JSONPath = "$[*]." + c.Name
		}
		if c.Kind == table.List {
			f.IsArray, f.ArrayShape = true, "-1" // one dimension of any length
		}
		s.Fields = append(s.Fields, f)
	}
	return s
}

// dataType names the type of the values of a column ("DataType").
func dataType(c table.Column) any {
	switch c.Kind {
	case table.Decimal:
		return "sc:Float"
	case table.Integer:
		return "sc:Integer"
	case table.Date:
		return "sc:Date"
	case table.Timestamp:
		return []string{"sc:DateTime", "sc:Date"} // some loaders know the second alone
	}
	if c.Name == "url" {
		return []string{"sc:Text", "sc:URL"}
	}
	return "sc:Text"
}

// meaning tells what a field of a record set is.
func meaning(set, name string) string {
	if text, ok := ownMeanings[set+"/"+name]; ok {
		return text
	}
	return meanings[name]
}

var meanings = map[string]string{
	"slug":         "Identifies the entity within its type.",
	"type":         "The kind of entity: tool or model.",
	"name":         "The name as its makers write it.",
	"provider":     "Who makes or publishes it.",
	"description":  "What it is and does, in plain words.",
	"category":     "The slug of its category.",
	"version":      "The latest known version, null where none is.",
	"pricingModel": "How it is paid for, such as open-source or usage-based.",
	"license":      "An SPDX expression or the licence's name, null where unknown.",
	"url":          "Its main address on the web.",
	"tags":         "Slugs by which it is found.",
	"capabilities": "Slugs of what it can do.",
	"composite":    "The composite score from 0 to 100, null where too little is known.",
	"adoption":     "The adoption score from 0 to 100, null where unknown.",
	"quality":      "The quality score from 0 to 100, null where unknown.",
	"freshness":    "The freshness score from 0 to 100, null where unknown.",
	"citations":    "The citation score from 0 to 100, null where unknown.",
	"engagement":   "The engagement score from 0 to 100, null where unknown.",
	"addedDate":    "The day on which it came into the index.",
	"lastUpdated":  "The day of its latest change in the index.",
	"rank":         "The place on the leaderboard, from 1.",
	"id":           "Identifies the change for good.",
	"event":        "What happened: entity.created, entity.updated or entity.deleted.",
	"timestamp":    "When it happened, in UTC.",
	"changes":      "The changed fields with their old and new values, as a JSON text.",
	"commit":       "The commit of the content, null outside version control.",
	"author":       "Who made the commit, null outside version control.",
	"pullRequest":  "The number of the pull request, null where there was none.",
	"title":        "The name of the category for people.",
	"count":        "How many entities it has.",
	"ranked":       "How many of its entities are on its leaderboard.",
}

// ownMeanings are those of fields that mean something else in one set.
var ownMeanings = map[string]string{
	"categories/slug":        "Identifies the category.",
	"categories/description": "What belongs into the category, null where it says nothing.",
	"changelog/slug":         "The slug of the entity after the change, or before it was deleted.",
	"changelog/name":         "The name of the entity after the change, or before it was deleted.",
}
