package api

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"kindex/edge/web"
	"kindex/exports/didyoumean"
	"kindex/site/sdk"
)

// sdkNames contains the names of the client libraries as used in messages.
var sdkNames = map[string]string{sdk.TypeScript: "TypeScript", sdk.Python: "Python"}

// NewestSDK handles GET /api/sdk/typescript and GET /api/sdk/python with the latest version of
// the library, which can be installed from this address. Content-Location is the permanent
// address of that version.
func (*API) NewestSDK(language string) web.Handler {
	return func(*web.Call) (*web.Reply, error) {
		a := sdk.Versions(language)[0]
		r := archiveReply(a)
		r.Header.Set("Content-Location", "/api/sdk/"+language+"/"+a.File)
		return r, nil
	}
}

// SDKVersion handles GET /api/sdk/typescript/:file and GET /api/sdk/python/:file.
func (*API) SDKVersion(language string) web.Handler {
	return func(c *web.Call) (*web.Reply, error) {
		a, ok := sdk.Find(language, c.Param("file"))
		if ok {
			return archiveReply(a), nil
		}
		var known []string
		for _, a := range sdk.Versions(language) {
			known = append(known, a.File)
		}
		p := web.NewProblem("unknown-version", fmt.Sprintf("The %[2]s client has no %[1]s; available: %[3]s.",
			web.Shorten(c.Param("file")), sdkNames[language], strings.Join(known, ", ")))
		return nil, p.WithSuggestion("/api/sdk/" + language + "/" + cmp.Or(didyoumean.Name(c.Param("file"), known), known[0]))
	}
}

func archiveReply(a sdk.Archive) *web.Reply {
	return &web.Reply{MediaType: "application/gzip",
		Header: http.Header{
			"Content-Disposition": {fmt.Sprintf(`attachment; filename="%s"`, a.Name)},
			"Repr-Digest":         {"sha-256=:" + base64.StdEncoding.EncodeToString(a.SHA256[:]) + ":"},
		},
		File: &web.FileReply{Content: bytes.NewReader(a.Data), ETag: hex.EncodeToString(a.SHA256[:16])}}
}
