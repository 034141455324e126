package croissant

// context defines the terms of a description ("Appendix 1: JSON-LD context"). Its IRI for
// schema.org is https://schema.org/, the same as in the datasets that MLCommons publishes for
// this version, because loaders use it to identify terms.
var context = func() map[string]any {
	c := map[string]any{
		"@language": "en",
		"@vocab":    "https://schema.org/",
		"sc":        "https://schema.org/",
		"cr":        "http://mlcommons.org/croissant/",
		"rai":       "http://mlcommons.org/croissant/RAI/",
		"dct":       "http://purl.org/dc/terms/",

		"conformsTo": "dct:conformsTo",
		"data":       map[string]string{"@id": "cr:data", "@type": "@json"},
		"dataType":   map[string]string{"@id": "cr:dataType", "@type": "@vocab"},
		"examples":   map[string]string{"@id": "cr:examples", "@type": "@json"},
	}
	for _, name := range []string{"annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty",
		"excludes", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray",
		"isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "readLines", "recordSet", "references", "regex",
		"repeated", "replace", "samplingRate", "sdVersion", "separator", "source", "subField", "transform", "unArchive", "value"} {
		c[name] = "cr:" + name
	}
	return c
}()
