package pages

import "kindex/site"

// APIDocsPath is the path of the API reference; its files are below it. Only an edge has it.
const APIDocsPath = "/docs/api"

// Operation is an operation of the API.
type Operation struct {
	Method, Path, Summary string
}

// apiPage is the API reference.
type apiPage struct {
	Files      map[string]string // paths of its files, by name
	Operations []Operation       // for browsers without JavaScript
}

// APIDocs renders the API reference: Swagger UI with the description at /api/openapi,
// and a list of the operations for browsers without JavaScript. Only an edge has it.
func (s *Site) APIDocs(q Request, operations []Operation) (*Answer, error) {
	r := &request{Site: s, Request: q}
	files := map[string]string{}
	for file, name := range site.APIDocsFiles() {
		files[file] = s.to(APIDocsPath + "/" + name)
	}
	return r.render(&page{Template: "apidocs", Title: "API reference", Sheet: layeredSheet, Data: &apiPage{files, operations},
		Description: "Every operation of the API of " + s.Build.Manifest.Title + ", to read about and try out."})
}
