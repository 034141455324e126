package depot

import (
	"runtime"
	"strings"
	"testing"

	"kindex/exports/store"
)

// TestForgedMapIsBounded decodes maps of a few kilobytes that become hundreds of megabytes. A map may not
// be covered by the signature of its build: it is refused before it takes memory.
func TestForgedMapIsBounded(t *testing.T) {
	files := []store.File{{Path: "exports/a", Size: 10_000_000}, {Path: "exports/b", Size: 1000}}
	for name, text := range map[string]string{
		"packs":      `{"packs":[{}` + strings.Repeat(",{}", 30_000_000) + `]}` + "\n",
		"header":     `{"packs":[{}` + strings.Repeat(",{}", 100_000) + `]}` + "\n",
		"no header":  strings.Repeat("x", 100_000_000),
		"behind it":  `{"packs":[],"files":[]}` + "\n" + strings.Repeat("x", 100_000_000),
		"derivation": `{"files":[{"path":"exports/a","from":{"pieces":[1` + strings.Repeat(",1", 10_000_000) + `]}}]}` + "\n",
	} {
		data, err := compress("zstd", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = decodeMap(data, files)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 32<<20 {
			t.Errorf("%s: %d bytes took %d MB: %v", name, len(data), took>>20, err)
		}
	}
}
