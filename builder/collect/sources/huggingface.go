package sources

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"kindex/builder/collect"
	"kindex/builder/content/yamldoc"
)

// HuggingFace returns the source of models on the Hugging Face Hub: downloads of 30 days, likes, the number
// of parameters in safetensors files and the licence. It also reports the pipeline tag, gating and the last
// change, which only --probe shows. base is the address of the Hub; "" means https://huggingface.co.
func HuggingFace(base string) *collect.Source {
	// 500 requests in five minutes without a token.
	s := newService(collect.Source{Name: "huggingface", Title: "Hugging Face", Hosts: []string{"https://huggingface.co"}, Token: "HF_TOKEN", Batch: 1, PerSecond: 1.5,
		Pages: []string{"https://huggingface.co/docs/hub/api", "https://huggingface.co/docs/hub/rate-limits"}}, modelOf,
		[]fact{{Column: always("huggingfaceDownloads"), at: "downloads"}, {Column: always("likes"), at: "likes"},
			{Column: sometimes("parameters"), at: "safetensors.total"}, {Column: sometimes("license"), at: "license", as: license},
			{Column: sometimes("pipelineTag"), at: "pipeline_tag", as: text, shown: true}, {Column: sometimes("lastModified"), at: "lastModified", as: text, shown: true},
			{Column: sometimes("gated"), at: "gated", as: text, shown: true}}, base) // false, auto or manual
	s.Ask = s.askHub
	return &s.Source
}

// modelOf returns the identifier of a model. Datasets and spaces are not models.
func modelOf(id string) string {
	if strings.HasPrefix(id, "datasets/") || strings.HasPrefix(id, "spaces/") {
		return ""
	}
	return id
}

var properties = []string{"downloads", "likes", "lastModified", "gated", "pipeline_tag", "safetensors", "tags"}

func (s *service) askHub(ctx context.Context, c *collect.Client, names []string) ([]collect.Answer, error) {
	a := collect.Answer{ID: names[0]}
	var m object
	found, err := c.Get(ctx, "from Hugging Face", collect.Request{URL: s.Hosts[0] + "/api/models/" + escapePath(a.ID) + "?" + url.Values{"expand[]": properties}.Encode(),
		Missing: func(resp *collect.Response) bool {
			// The Hub does not tell private repositories from missing ones: without a token it answers
			// 401 for both.
			return resp.Status == http.StatusGone || resp.Status == http.StatusUnauthorized && resp.Header.Get("X-Error-Code") == "RepoNotFound"
		}}, &m)
	switch id := m.text("id"); {
	case err != nil:
		return nil, err
	case !found:
		a.Gone = true
		return []collect.Answer{a}, nil
	case strings.Trim(id, "/") == "" || escapePath(id) != id:
		return nil, errors.New("the response of Hugging Face does not name the model")
	case !strings.EqualFold(id, a.ID):
		a.Moved = id
	}
	a.Page = "https://huggingface.co/" + m.text("id")
	var licenses []string
	tags, _ := m["tags"].([]any)
	for _, tag := range tags {
		if name, ok := strings.CutPrefix(yamldoc.Text(tag), "license:"); ok {
			licenses = append(licenses, name)
		}
	}
	// Of several licences, nothing says whether all apply, or which part each is for.
	if len(licenses) == 1 && licenses[0] != "other" && licenses[0] != "unknown" {
		m["license"] = licenses[0]
	}
	s.read(&a, m)
	return []collect.Answer{a}, nil
}
