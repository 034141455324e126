package main

import (
	"bytes"
	"context"
	"io"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// describe writes the bill of materials of a program: the modules that are compiled into it,
// in the form of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
func (r *release) describe(ctx context.Context, t target) error {
	name := t.program() + ".cdx.json"
	r.step(name)
	text, err := r.tool(ctx, "cyclonedx-gomod", "bin", "-json", "-licenses", "-assert-licenses", "-std", "-noserial", "-notimestamp",
		"-version", r.version, r.asset(t.program()))
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	if err := cdx.NewBOMDecoder(bytes.NewReader([]byte(text)), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		return err
	}
	bom.Metadata.Timestamp = r.date().Format(time.RFC3339)
	bom.Metadata.Component.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	// The sums of the tool differ from machine to machine; its version is pinned.
	if tools := bom.Metadata.Tools; tools != nil && tools.Tools != nil {
		for i := range *tools.Tools {
			(*tools.Tools)[i].Hashes = nil
		}
	}
	return create(r.asset(name), func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	})
}
