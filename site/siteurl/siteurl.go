// Package siteurl makes the paths of pages that several packages link to.
package siteurl

import (
	"kindex/exports/record"
)

// Provider is the page of a provider.
func Provider(provider string) string {
	return "/providers/" + Key(record.Fold(provider)) + "/"
}

// Entity is where an entity is.
func Entity(typ, slug string) string { return "/" + typ + "/" + slug + "/" }

// Submit is the page for proposing an entity, and CheckSubmission where its form is
// checked.
const (
	Submit          = "/submit/"
	CheckSubmission = "/submit/check"
)
