// Package registry reads the figures of packages and models from PyPI, npm and the Hugging Face Hub.
//
// It was written from the public documentation, and is tested against servers that behave as
// documented:
//   - https://docs.pypi.org/api/json/
//   - https://docs.pypi.org/api/ (ETag, limits)
//   - https://pypistats.org/api/, which leaves mirrors out
//   - https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md#getpackage
//   - https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
//   - https://github.com/npm/registry/blob/main/docs/download-counts.md
//   - https://huggingface.co/docs/huggingface_hub/package_reference/hf_api#huggingface_hub.HfApi.model_info
//   - https://huggingface.co/docs/hub/api
//   - https://huggingface.co/docs/hub/rate-limits
package registry

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"kindex/builder/collect"
	"kindex/exports/record"
)

// Source implements collect.Source. The name of a registry is that of the namespace of its identifiers.
type Source struct {
	info collect.Info
	// name returns an identifier as the registry spells it, or "" if it has no such thing.
	name func(id string) string
	ask  func(ctx context.Context, s *Source, c collect.Client, ids []string) ([]collect.Answer, error)
}

// at sets the addresses of the source: each is that of a mirror or, if that is "", the public one.
func (s *Source) at(addresses ...string) *Source {
	for i, address := range addresses[:len(s.info.Hosts)] {
		s.info.Hosts[i] = strings.TrimSuffix(cmp.Or(address, s.info.Hosts[i]), "/")
	}
	return s
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info { return s.info }

// Identify implements collect.Source.
func (s *Source) Identify(e *record.Entity) string {
	for _, id := range e.IDsIn(s.info.Name) {
		if name := s.name(id); name != "" {
			return name
		}
	}
	return ""
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, ids []string) ([]collect.Answer, error) {
	return s.ask(ctx, s, c, ids)
}

// path escapes an identifier for the path of an address.
func path(id string) string {
	parts := strings.Split(id, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}
