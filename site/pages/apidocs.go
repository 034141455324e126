package pages

import "kindex/site"

// APIDocsPath is where an edge has the page of operations, and below it what it loads.
const APIDocsPath = "/docs/api"

// Operation is what can be asked of the interface.
type Operation struct {
	Method, Path, Summary string
}

// apiPage is the page of operations.
type apiPage struct {
	Files      map[string]string // addresses of what it loads, by name
	Operations []Operation       // for who runs no scripts
}

// APIDocs is the page that explains the interface and tries it out: Swagger UI over the
// description at /api/openapi, and without scripts a list of the operations. Only an
// edge has it.
func (s *Site) APIDocs(q Request, operations []Operation) (*Answer, error) {
	r := &request{Site: s, Request: q}
	files := map[string]string{}
	for file, name := range site.APIDocsFiles() {
		files[file] = s.to(APIDocsPath + "/" + name)
	}
	return r.render(&page{Template: "apidocs", Title: "The interface", Sheet: layeredSheet, Data: &apiPage{files, operations},
		Description: "Every operation of the interface of " + s.Build.Manifest.Title + ", to read and to try out."})
}
