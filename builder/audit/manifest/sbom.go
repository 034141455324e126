package manifest

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/tagvalue"
)

// parseJSONBOM reads a bill of materials in JSON: CycloneDX or SPDX.
func parseJSONBOM(f *file) error {
	var kind struct {
		BOMFormat   string `json:"bomFormat"`
		SPDXVersion string `json:"spdxVersion"`
		Context     any    `json:"@context"`
	}
	if err := f.readJSON(func(*jsonValue) error { return nil }); err != nil { // checks the nesting
		return err
	}
	_ = json.Unmarshal(f.data, &kind) // a value of another type has no format
	switch {
	case kind.BOMFormat == "CycloneDX":
		return f.cycloneDX(cdx.BOMFileFormatJSON)
	case strings.HasPrefix(kind.SPDXVersion, "SPDX-2."):
		d, err := spdxjson.Read(bytes.NewReader(f.data))
		if err != nil {
			return f.wrong(0, "invalid SPDX: "+err.Error())
		}
		return f.spdx(d)
	case kind.Context != nil:
		return f.wrong(0, "SPDX 3 is not supported; export SPDX 2.3 or CycloneDX")
	}
	return f.wrong(0, "neither CycloneDX (bomFormat) nor SPDX (spdxVersion); supported files: "+Supported)
}

// parseXMLBOM reads a CycloneDX bill of materials in XML. The decoder expands only the
// five predefined entities.
func parseXMLBOM(f *file) error {
	if line := deepXML(f.data); line > 0 {
		return f.wrong(line, "elements are nested too deep")
	}
	return f.cycloneDX(cdx.BOMFileFormatXML)
}

// parseTagValue reads SPDX in the format tag: value.
func parseTagValue(f *file) error {
	d, err := tagvalue.Read(bytes.NewReader(f.data))
	if err != nil {
		return f.wrong(0, "invalid SPDX: "+err.Error())
	}
	return f.spdx(d)
}

func (f *file) cycloneDX(format cdx.BOMFileFormat) error {
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(bytes.NewReader(f.data), format).Decode(bom); err != nil {
		return f.wrong(0, "invalid CycloneDX: "+err.Error())
	}
	return f.components(bom.Components, f.packageURLLines())
}

func (f *file) components(list *[]cdx.Component, lines map[string]int) error {
	if list == nil {
		return nil
	}
	for i := range *list {
		c := &(*list)[i]
		e := Entry{ID: c.PackageURL, Name: strings.TrimPrefix(c.Group+"/"+c.Name, "/"), Version: c.Version, Line: lines[c.PackageURL]}
		if e.ID == "" && c.Type == cdx.ComponentTypeMachineLearningModel {
			e.ID = e.Name
		}
		if err := f.add(e); err != nil {
			return err
		}
		if err := f.components(c.Components, lines); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) spdx(d *spdx.Document) error {
	lines := f.packageURLLines()
	described := map[string]bool{}
	for _, r := range d.Relationships {
		if r != nil && r.Relationship == "DESCRIBES" {
			described[string(r.RefB.ElementRefID)] = true
		}
	}
	for _, p := range d.Packages {
		if p == nil {
			continue
		}
		e := Entry{Name: p.PackageName, Version: p.PackageVersion}
		for _, ref := range p.PackageExternalReferences {
			if ref != nil && ref.RefType == "purl" && e.ID == "" {
				e.ID, e.Line = ref.Locator, lines[ref.Locator]
			}
		}
		if e.ID == "" && described[string(p.PackageSPDXIdentifier)] {
			continue // the project itself
		}
		if err := f.add(e); err != nil {
			return err
		}
	}
	return nil
}

var packageURL = regexp.MustCompile(`pkg:[^"'<\s]+`)

// packageURLLines returns the first line of each package URL. The decoders do not report
// line numbers.
func (f *file) packageURLLines() map[string]int {
	lines := map[string]int{}
	n := 0
	for line := range strings.Lines(string(f.data)) {
		n++
		for _, text := range packageURL.FindAllString(line, -1) {
			unescaped := html.UnescapeString(text)
			if s, err := strconv.Unquote(`"` + text + `"`); err == nil && strings.Contains(text, `\`) {
				unescaped = s
			}
			if _, known := lines[unescaped]; !known {
				lines[unescaped] = n
			}
		}
	}
	return lines
}

// deepXML returns the first line where elements may be nested more than maxNesting deep,
// or 0: the decoder is recursive.
func deepXML(data []byte) int {
	depth, line := 0, 1
	for i, c := range data {
		switch {
		case c == '\n':
			line++
		case c == '<' && i+1 < len(data) && data[i+1] == '/', c == '/' && i+1 < len(data) && data[i+1] == '>':
			depth--
		case c == '<' && i+1 < len(data) && data[i+1] != '?' && data[i+1] != '!':
			if depth++; depth > maxNesting {
				return line
			}
		}
	}
	return 0
}
