package live

import (
	"fmt"
	"strings"

	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/view"
)

// MaxQueryLen is the maximum length of a search query, in bytes.
const MaxQueryLen = 500

// FindSimilarNames finds entities that a name could refer to.
func (v *ServedBuild) FindSimilarNames(name string, limit int) []uint32 {
	all := v.Build.Select(&view.Filter{})
	text := strings.ReplaceAll(name, `"`, " ") // quotation marks have a special meaning in queries
	if len(text) > MaxQueryLen {
		text = strings.ToValidUTF8(text[:MaxQueryLen], "")
	}
	return v.Index.Alternatives(text, all, limit)
}

// SimilarSlugs returns the entities of a type whose slugs are most similar to the given slug.
func (v *ServedBuild) SimilarSlugs(typ, slug string) (similar []string) {
	ofType := v.Build.Bitmap("type", typ)
	if ofType == nil {
		return nil
	}
	for _, h := range v.Index.Search(slug, ofType, nil, 0, 3).Hits {
		_, slug := v.Build.Key(h.Ordinal)
		similar = append(similar, slug)
	}
	return similar
}

// MaxSimilar is the maximum number of similar entities reported for a new one.
const MaxSimilar = 5

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

// Signature describes the signature of the published build, whether it was verified or not. It
// returns nil if the build has none. A publisher can sign a build that is already served, so the
// signature is read each time. An invalid one is logged and not returned.
func (v *ServedBuild) Signature() *sign.Signature {
	id := v.Build.Manifest.ID
	info, err := mirror.SavedSignature(v.options.Root, id, v.options.Verifiers)
	if err != nil {
		v.signatureLogged.Do(func() {
			v.options.Log.Error("the signature of the build is invalid", "build", id, "error", err)
		})
		return nil
	}
	return info
}
