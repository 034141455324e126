// Package siteurl builds the paths of pages that several packages link to.
package siteurl

// Entity returns the path of the page of an entity.
func Entity(typ, slug string) string { return "/" + typ + "/" + slug + "/" }

// Submit is the path of the page for proposing an entity, and CheckSubmission the path
// that checks its form.
const (
	Submit          = "/submit/"
	CheckSubmission = "/submit/check"
)
