package edge

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/site/sdk"
)

// sdkNames are what the client libraries are called in texts.
var sdkNames = map[string]string{sdk.TypeScript: "TypeScript", sdk.Python: "Python"}

// GET /api/sdk/typescript, GET /api/sdk/python
//
// The newest version, to be installed from this very address. Content-Location names
// the address where these bytes stay.
func (*API) newestSDK(language string) handler {
	return func(*call) (*reply, error) {
		a := sdk.Versions(language)[0]
		r := archiveReply(a)
		r.header.Set("Content-Location", "/api/sdk/"+language+"/"+a.File)
		return r, nil
	}
}

// GET /api/sdk/typescript/:file, GET /api/sdk/python/:file
func (*API) oneSDK(language string) handler {
	return func(c *call) (*reply, error) {
		a, ok := sdk.Find(language, c.param("file"))
		if ok {
			return archiveReply(a), nil
		}
		var known []string
		for _, a := range sdk.Versions(language) {
			known = append(known, a.File)
		}
		p := newProblem("unknown-version", fmt.Sprintf("There is no %s of the %s client here; there are %s.",
			shorten(c.param("file")), sdkNames[language], strings.Join(known, ", ")))
		return nil, p.suggest("/api/sdk/" + language + "/" + cmp.Or(didyoumean.Name(c.param("file"), known), known[0]))
	}
}

func archiveReply(a sdk.Archive) *reply {
	return &reply{mediaType: "application/gzip",
		header: http.Header{
			"Content-Disposition": {fmt.Sprintf(`attachment; filename="%s"`, a.Name)},
			"Repr-Digest":         {"sha-256=:" + base64.StdEncoding.EncodeToString(a.SHA256[:]) + ":"},
		},
		file: &fileReply{content: bytes.NewReader(a.Data), etag: entityTag(hex.EncodeToString(a.SHA256[:16]), identity)}}
}
