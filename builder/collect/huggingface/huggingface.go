// Package huggingface reads the figures of models from the Hugging Face Hub: downloads of 30
// days, likes, the number of parameters in safetensors files and the licence. It also reports
// the pipeline tag, gating and the last change, which only --probe shows.
//
// It was written from the public documentation, and is tested against a server that behaves as
// documented:
//   - https://huggingface.co/docs/huggingface_hub/package_reference/hf_api#huggingface_hub.HfApi.model_info
//   - https://huggingface.co/docs/hub/api
//   - https://huggingface.co/docs/hub/rate-limits
package huggingface

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"kindex/builder/collect"
	"kindex/builder/content/schema"
	"kindex/exports/record"
)

// Source implements collect.Source.
type Source struct{ base string }

// New returns the source. base is the address of the Hub; "" means https://huggingface.co.
func New(base string) *Source {
	if base == "" {
		base = "https://huggingface.co"
	}
	return &Source{strings.TrimSuffix(base, "/")}
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info {
	// 500 requests in five minutes without a token.
	return collect.Info{Name: "huggingface", Title: "Hugging Face", Hosts: []string{s.base}, Token: "HF_TOKEN", Batch: 1, PerSecond: 1.5,
		Pages: []string{"https://huggingface.co/docs/hub/api", "https://huggingface.co/docs/hub/rate-limits"},
		Columns: []collect.Column{{Name: "huggingfaceDownloads", Always: true}, {Name: "likes", Always: true}, {Name: "parameters"},
			{Name: "license"}}}
}

// Identify implements collect.Source. Datasets and spaces are not models.
func (s *Source) Identify(e *record.Entity) string {
	for _, id := range e.IDsIn("huggingface") {
		if !strings.HasPrefix(id, "datasets/") && !strings.HasPrefix(id, "spaces/") {
			return id
		}
	}
	return ""
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
	Safetensors  *struct {
		Total *float64 `json:"total"`
	} `json:"safetensors"`
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, names []string) ([]collect.Answer, error) {
	id := names[0]
	resp, err := c.Do(ctx, collect.Request{URL: s.base + "/api/models/" + path(id) + "?" + url.Values{"expand[]": properties}.Encode()})
	if err != nil {
		return nil, err
	}
	switch {
	// The Hub does not tell private repositories from missing ones: without a token it answers
	// 401 for both.
	case resp.Status == http.StatusNotFound, resp.Status == http.StatusUnauthorized && resp.Header.Get("X-Error-Code") == "RepoNotFound",
		resp.Status == http.StatusGone:
		return []collect.Answer{{ID: id, Gone: true}}, nil
	}
	var m model
	if err := resp.JSON(&m); err != nil {
		return nil, fmt.Errorf("from Hugging Face: %w", err)
	}
	if strings.Trim(m.ID, "/") == "" || path(m.ID) != m.ID {
		return nil, errors.New("the response of Hugging Face does not name the model")
	}
	return []collect.Answer{m.answer(id)}, nil
}

// path escapes an identifier for the path of an address.
func path(id string) string {
	parts := strings.Split(id, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

func (m *model) answer(id string) collect.Answer {
	a := collect.Answer{ID: id}
	if !strings.EqualFold(m.ID, id) {
		a.Moved = m.ID
	}
	page := "https://huggingface.co/" + m.ID
	count := func(name string, n *float64) {
		if n != nil {
			a.Add(collect.Value{Name: name, Number: *n, Source: page})
		}
	}
	text := func(name, v string) {
		if v != "" {
			a.Add(collect.Value{Name: name, Text: v, Source: page})
		}
	}
	count("huggingfaceDownloads", m.Downloads)
	count("likes", m.Likes)
	if m.Safetensors != nil {
		count("parameters", m.Safetensors.Total)
	}
	var licenses []string
	for _, tag := range m.Tags {
		if name, ok := strings.CutPrefix(tag, "license:"); ok {
			licenses = append(licenses, name)
		}
	}
	// Of several licences, nothing says whether all apply, or which part each is for.
	if len(licenses) == 1 && licenses[0] != "other" && licenses[0] != "unknown" {
		text("license", schema.License(licenses[0]))
	}
	text("pipelineTag", m.PipelineTag)
	text("lastModified", m.LastModified)
	if gated, ok := m.Gated.(string); ok {
		text("gated", gated)
	}
	return a
}
