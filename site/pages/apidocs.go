package pages

import "kindex/site"

// APIDocsPath is where an edge has the page of operations, and below it what it loads.
const APIDocsPath = "/docs/api"

// APIDocs is the page that explains the interface and tries it out: Swagger UI over the
// description at /api/openapi. Only an edge has it.
func (s *Site) APIDocs(q Request) (*Answer, error) {
	r := &request{Site: s, Request: q}
	files := map[string]string{}
	for file, name := range site.APIDocsFiles() {
		files[file] = s.to(APIDocsPath + "/" + name)
	}
	return r.render(&page{Template: "apidocs", Title: "The interface", Sheet: layeredSheet, Data: files,
		Description: "Every operation of the interface of " + s.Build.Manifest.Title + ", to read and to try out."})
}
