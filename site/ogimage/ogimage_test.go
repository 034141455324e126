package ogimage_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/site/ogimage"
)

// TestPNG draws texts of all kinds: each is an image of the stated size, the same texts give the same bytes,
// and other texts give other ones.
func TestPNG(t *testing.T) {
	seen := map[string]string{}
	for name, c := range map[string]ogimage.Card{
		"nothing":      {},
		"short":        {Site: "Index", Name: "PyTorch", Fallback: "tool/pytorch", About: "Tool by Meta", Facts: "Stars 101,717"},
		"long":         {Name: strings.Repeat("long name ", 1000), About: strings.Repeat("x", 100_000), Facts: "…"},
		"other script": {Name: "通义千问", Fallback: "model/qwen", About: "模型 by 阿里"},
		"hidden":       {Name: "a\u202eb\x00\xff", Fallback: "tool/a"},
	} {
		body := suite.Must(ogimage.PNG(c))(t)
		if m, err := png.DecodeConfig(bytes.NewReader(body)); err != nil || m.Width != ogimage.Width || m.Height != ogimage.Height || len(body) > 40_000 {
			t.Errorf("%s: %d × %d in %d bytes: %v", name, m.Width, m.Height, len(body), err)
		}
		if again, _ := ogimage.PNG(c); !bytes.Equal(again, body) {
			t.Errorf("%s: drawn twice, it differs", name)
		}
		if other, ok := seen[string(body)]; ok {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[string(body)] = name
	}
}
