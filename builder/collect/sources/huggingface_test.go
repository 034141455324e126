package sources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
	"kindex/builder/suite"
)

// hub behaves as the Hub: renamed repositories are redirected within the host, and one that is
// missing answers 401 without a token.
func hub(t *testing.T, models map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimPrefix(r.URL.Path, "/api/models/")
		if want := []string{"downloads", "likes", "lastModified", "gated", "pipeline_tag", "safetensors", "tags"}; !slices.Equal(r.URL.Query()["expand[]"], want) {
			t.Errorf("query %q", r.URL.RawQuery)
		}
		suite.Equal(t, r.Header.Get("Authorization"), "Bearer token-of-HF_TOKEN", "authorization")
		switch body := models[id]; {
		case strings.HasPrefix(body, "to "):
			http.Redirect(w, r, "/api/models/"+body[3:]+"?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
		case body == "":
			w.Header().Set("X-Error-Code", "RepoNotFound")
			w.Header().Set("X-Error-Message", "Repository not found")
			collecttest.JSON(w, 401, `{"error":"Invalid username or password."}`)
		default:
			collecttest.JSON(w, 200, body)
		}
	}
}

func TestProbeHuggingFace(t *testing.T) {
	url := collecttest.Server(t, hub(t, map[string]string{"lab/a": `{"id":"lab/a","downloads":12,"likes":7,"gated":"auto","pipeline_tag":"text-generation","lastModified":"2026-11-01T10:00:00.000Z"}`}))
	var b strings.Builder
	suite.Check(t, collect.Probe(t.Context(), collecttest.Options(t, sources.HuggingFace(url), "model", "huggingface", "lab/a"), "huggingface", "", &b))
	for _, want := range []string{"https://huggingface.co/docs/hub/api", "lab/a: 1 requests", "huggingfaceDownloads: 12 (", "pipelineTag: text-generation (", "gated: auto ("} {
		suite.Contains(t, b.String(), want)
	}
}

// The header is that of draft-ietf-httpapi-ratelimit-headers-09.
func TestRateLimitHuggingFace(t *testing.T) {
	n := 0
	models := hub(t, map[string]string{"lab/a": `{"id":"lab/a","downloads":1,"likes":1}`})
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			w.Header().Set("RateLimit", `"api";r=0;t=143`)
			w.Header().Set("RateLimit-Policy", `"fixed window";"api";q=500;w=300`)
			collecttest.JSON(w, 429, `{"error":"rate limited"}`)
			return
		}
		models(w, r)
	})
	_, r := collecttest.Run(t, collecttest.Options(t, sources.HuggingFace(url), "model", "huggingface", "lab/a"))
	if s := r.Sources[0]; s.Answered != 1 || s.Waited < 143*time.Second || s.Waited > 145*time.Second {
		t.Errorf("%+v", s)
	}
}
