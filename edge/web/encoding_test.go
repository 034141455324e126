package web

import (
	"testing"
)

func TestNegotiateEncoding(t *testing.T) {
	all := []string{"zstd", "br", "gzip"}
	for accept, want := range map[string]string{
		"": Identity, "gzip": "gzip", "GZIP": "gzip", "x-gzip": "gzip", "gzip, br, zstd": "zstd", "br;q=1, zstd;q=0.5": "br",
		"*": Identity, "gzip, *": "gzip", "*, br;q=0.1": "br", "identity;q=0, *": "gzip", "identity;q=0, gzip;q=0, *": Identity, "*;q=0": Identity, "gzip;q=0": Identity, "identity": Identity, "identity;q=1, gzip;q=0.5": Identity,
		"deflate": Identity, "zstd;q=0, *": Identity, "gzip;q=x": "gzip", ";;,": Identity, "br ; q=0.1": "br",
	} {
		if got := negotiateEncoding(accept, all); got != want {
			t.Errorf("%q chose %s, want %s", accept, got, want)
		}
	}
}
