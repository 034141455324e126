package edge

import (
	"encoding/json"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// offerKeys returns slug@provider of the offers in a list.
func offerKeys(t *testing.T, list []json.RawMessage) string {
	t.Helper()
	var keys []string
	for _, item := range list {
		var o struct{ Slug, Provider string }
		unpack(t, item, &o)
		keys = append(keys, o.Slug+"@"+o.Provider)
	}
	return strings.Join(keys, " ")
}

// TestOffers filters, sorts and pages through the offers of real models.
func TestOffers(t *testing.T) {
	s := servePrices(t)
	for _, c := range []struct{ query, want string }{
		// Blended prices: MiniMax (3×0.30 + 1.20)/4 = 0.525, DeepSeek (3×0.435 + 0.87)/4 = 0.54375, AIHubMix
		// (3×0.28 + 1.69)/4 = 0.6325, Alibaba (3×0.50 + 3)/4 = 1.125 and so on.
		{"", "minimax-m3@minimax deepseek-v4-pro@deepseek qwen3-6-plus@aihubmix gemini-3-flash-preview@google qwen3-6-plus@alibaba grok-4-3@xai " +
			"gemini-3-6-flash@google gemini-3-5-flash@google gemini-2-5-pro@google claude-sonnet-5@anthropic gemini-3-1-pro-preview@google gpt-5-4@openai gpt-5-5@azure gpt-5-5@openai"},
		{"sort=input&maxInput=0.5", "qwen3-6-plus@aihubmix minimax-m3@minimax deepseek-v4-pro@deepseek gemini-3-flash-preview@google qwen3-6-plus@alibaba"},
		{"sort=output&maxOutput=2.5", "deepseek-v4-pro@deepseek minimax-m3@minimax qwen3-6-plus@aihubmix grok-4-3@xai"},
		{"model=gpt-five-four&model=model/grok-4-3", "grok-4-3@xai gpt-5-4@openai"},
		{"family=qwen&family=grok", "qwen3-6-plus@aihubmix qwen3-6-plus@alibaba grok-4-3@xai"},
		{"minContext=1000001", "gemini-3-1-pro-preview@google gpt-5-4@openai gpt-5-5@openai"},
		{"model=claude-sonnet-5&maxInput=2&at=2026-08-30", ""},
		{"model=gpt-5-4&at=2026-08-30", "gpt-five-four@openai"},
	} {
		suite.Equal(t, offerKeys(t, s.pages(t, "/api/offers?"+c.query)), c.want, c.query)
	}
	l := s.list(t, "/api/offers?model=claude-sonnet-5&at=2026-08-31")
	var o struct {
		Type, Name, ID, Date string
		Input, Blended       json.RawMessage
	}
	unpack(t, l.Data[0], &o)
	if l.AsOf == nil || *l.AsOf != "2026-08-31" || string(o.Input) != "3" || string(o.Blended) != "6" {
		t.Errorf("as of %v: %s", l.AsOf, l.Data[0])
	}
	if o.Type != "model" || o.Name != "Claude Sonnet 5" || o.ID != "claude-sonnet-5" || o.Date != "2026-07-02" {
		t.Errorf("%s", l.Data[0])
	}
	page := s.ask(t, "GET", "/api/offers?limit=2")
	suite.Contains(t, page.header.Get("Link"), `rel="next"`)
	s.ask(t, "GET", "/api/offers?limit=2", "If-None-Match", page.header.Get("Etag")).want(t, 304)
}
