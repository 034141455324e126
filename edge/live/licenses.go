package live

import (
	"fmt"
	"strings"
)

// LicenseLinks returns the Link header with the addresses of the licences in an SPDX
// expression (RFC 8288, relation type license), or nil if there are none. It is a single
// header field because generated clients read only one.
func LicenseLinks(expression string) []string {
	var links []string
	for _, part := range strings.Split(expression, " AND ") {
		if part != "" && !strings.ContainsAny(part, " ()") {
			links = append(links, fmt.Sprintf(`<https://spdx.org/licenses/%s.html>; rel="license"`, part))
		}
	}
	if len(links) == 0 {
		return nil
	}
	return []string{strings.Join(links, ", ")}
}
