package registry

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"kindex/builder/collect"
)

// HuggingFace returns the source of models on the Hugging Face Hub: downloads of 30 days, likes, the number
// of parameters in safetensors files and the licence. It also reports the pipeline tag, gating and the last
// change, which only --probe shows. base is the address of the Hub; "" means https://huggingface.co.
func HuggingFace(base string) *Source {
	s := &Source{name: modelOf, ask: askHub}
	// 500 requests in five minutes without a token.
	s.info = collect.Info{Name: "huggingface", Title: "Hugging Face", Hosts: []string{"https://huggingface.co"}, Token: "HF_TOKEN", Batch: 1, PerSecond: 1.5,
		Pages: []string{"https://huggingface.co/docs/hub/api", "https://huggingface.co/docs/hub/rate-limits"},
		Columns: []collect.Column{{Name: "huggingfaceDownloads", Always: true}, {Name: "likes", Always: true}, {Name: "parameters"},
			{Name: "license"}}}
	return s.at(base)
}

// modelOf returns the identifier of a model. Datasets and spaces are not models.
func modelOf(id string) string {
	if strings.HasPrefix(id, "datasets/") || strings.HasPrefix(id, "spaces/") {
		return ""
	}
	return id
}

// properties are what the request asks for.
var properties = []string{"downloads", "likes", "lastModified", "gated", "pipeline_tag", "safetensors", "tags"}

type model struct {
	ID           string   `json:"id"`
	Downloads    *float64 `json:"downloads"`
	Likes        *float64 `json:"likes"`
	LastModified string   `json:"lastModified"`
	Gated        any      `json:"gated"` // false, auto or manual
	PipelineTag  string   `json:"pipeline_tag"`
	Tags         []string `json:"tags"`
	Safetensors  struct {
		Total *float64 `json:"total"`
	} `json:"safetensors"`
}

func askHub(ctx context.Context, s *Source, c collect.Client, names []string) ([]collect.Answer, error) {
	id := names[0]
	var m model
	found, err := collect.Get(ctx, c, "from Hugging Face", collect.Request{URL: s.info.Hosts[0] + "/api/models/" + path(id) + "?" + url.Values{"expand[]": properties}.Encode(),
		Missing: func(resp *collect.Response) bool {
			// The Hub does not tell private repositories from missing ones: without a token it answers
			// 401 for both.
			return resp.Status == http.StatusGone || resp.Status == http.StatusUnauthorized && resp.Header.Get("X-Error-Code") == "RepoNotFound"
		}}, &m)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return []collect.Answer{{ID: id, Gone: true}}, nil
	case strings.Trim(m.ID, "/") == "" || path(m.ID) != m.ID:
		return nil, errors.New("the response of Hugging Face does not name the model")
	}
	a := collect.Answer{ID: id, Page: "https://huggingface.co/" + m.ID}
	if !strings.EqualFold(m.ID, id) {
		a.Moved = m.ID
	}
	a.AddCount("huggingfaceDownloads", m.Downloads)
	a.AddCount("likes", m.Likes)
	a.AddCount("parameters", m.Safetensors.Total)
	var licenses []string
	for _, tag := range m.Tags {
		if name, ok := strings.CutPrefix(tag, "license:"); ok {
			licenses = append(licenses, name)
		}
	}
	// Of several licences, nothing says whether all apply, or which part each is for.
	if len(licenses) == 1 && licenses[0] != "other" && licenses[0] != "unknown" {
		a.AddLicense(licenses[0])
	}
	a.AddText("pipelineTag", m.PipelineTag)
	a.AddText("lastModified", m.LastModified)
	if gated, ok := m.Gated.(string); ok {
		a.AddText("gated", gated)
	}
	return []collect.Answer{a}, nil
}
