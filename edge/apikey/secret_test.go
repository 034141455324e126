package apikey_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
)

// known is a key written by hand; its checksum was computed with Python's zlib.crc32.
const known = "kx_0123456789ABCDEFGHIJKLMNOPQRSTUV" + "1ggZdL"

func TestGenerate(t *testing.T) {
	seen := map[string]bool{}
	letters := map[rune]int{}
	const n = 2000
	for range n {
		s := apikey.Generate()
		text := s.Reveal()
		suite.Require(t, len(text) == 41 && strings.HasPrefix(text, "kx_") &&
			!seen[text], "a key", len(text), "characters, or a duplicate")
		seen[text] = true
		for _, r := range text[3:35] {
			letters[r]++
		}
		again, err := apikey.Parse(text)
		suite.Require(t, err == nil && again.Reveal() == text, "a generated key is not accepted", err)
		sum := sha256.Sum256([]byte(text))
		suite.Require(t, s.Hash() == hex.EncodeToString(sum[:]), "hash is not the SHA-256 of the key")
		suite.Require(t, s.Masked() == text[:7]+"…"+text[37:], "masked as", s.Masked())
	}
	// Each character is expected 32·2000/62 ≈ 1032 times, with a standard deviation of 32.
	suite.Equal(t, len(letters), 62, "different characters, want 62")
	for r, count := range letters {
		suite.Holds(t, count >= 1032-8*32 &&
			count <= 1032+8*32, r, "occurs", count, "times in keys, want about 1032")
	}
}

func TestChecksumIsTheDocumentedOne(t *testing.T) {
	suite.Must(apikey.Parse(known))(t)
}

func TestParseRefuses(t *testing.T) {
	good := apikey.Generate().Reveal()
	swapped := []byte(good)
	for i := 4; swapped[i] == swapped[i-1] || string(swapped) == good; i++ {
		swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
	}
	other := "A"
	if good[20] == 'A' {
		other = "B"
	}
	for text, says := range map[string]string{
		"":                              "empty",
		" " + good:                      "white space",
		good + "\n":                     "white space",
		strings.ToUpper(good[:3]) + "x": "start with kx_",
		"sk-" + good:                    "start with kx_",
		good[:40]:                       "40 characters instead of 41",
		good + "0":                      "42 characters instead of 41",
		good[:10] + "-" + good[11:]:     "character 11 is neither",
		good[:39] + "\x00" + good[40:]:  "character 40 is neither",
		good[:20] + other + good[21:]:   "checksum",
		string(swapped):                 "checksum",
		good[:35] + "000000":            "checksum",
		strings.Repeat("kx_", 100_000):  "300000 characters",
	} {
		s, err := apikey.Parse(text)
		suite.Holds(t, errors.Is(err, apikey.ErrMalformed) && strings.Contains(err.Error(), says) &&
			s.Reveal() == "", text, "error", err, "want one with", says)
		if err != nil && len(text) > 20 && strings.Contains(err.Error(), text[4:12]) {
			t.Errorf("the error repeats the input: %v", err)
		}
	}
}

// TestNoPrintingShowsASecret tries every way in which a value can end up in logs, errors and
// responses.
func TestNoPrintingShowsASecret(t *testing.T) {
	secret := apikey.Generate()
	type holder struct {
		Shown  apikey.Secret
		hidden apikey.Secret
		Ptr    *apikey.Secret
		list   []apikey.Secret
		byKey  map[string]apikey.Secret
	}
	h := holder{secret, secret, &secret, []apikey.Secret{secret}, map[string]apikey.Secret{"a": secret}}
	var out bytes.Buffer
	for _, v := range []any{secret, &secret, h, &h, []apikey.Secret{secret}, map[apikey.Secret]int{secret: 1}, struct{ s any }{secret},
		fmt.Errorf("failed with %v: %w", secret, errors.New(secret.String()))} {
		for _, verb := range "vTtbcdoOqxXUeEfFgGsp" {
			for _, flags := range []string{"", "+", "#", "60", " ", "-.50"} {
				fmt.Fprintf(&out, "%"+flags+string(verb)+"\n", v)
			}
		}
		fmt.Fprintln(&out, v)
		// Some values cannot be encoded at all, which hides the key just as well.
		for _, encode := range []func(any) ([]byte, error){json.Marshal, xml.Marshal} {
			b, _ := encode(v)
			out.Write(b)
		}
		for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
			log.Info("a", "v", v, slog.Group("g", "v", v))
			log.With("v", v).Error(fmt.Sprint(v))
		}
	}
	forms := []string{secret.Reveal(), secret.Reveal()[3:35], secret.Hash(), fmt.Sprintf("%x", secret.Reveal()), fmt.Sprintf("%X", secret.Reveal()),
		fmt.Sprintf("% x", secret.Reveal()), fmt.Sprint([]byte(secret.Reveal())), secret.Reveal()[10:20]}
	for _, form := range forms {
		suite.Lacks(t, out.String(), form, "a form of the secret was printed")
	}
	n := strings.Count(out.String(), "kx_…redacted")
	suite.Holds(t, n >= 500, "only", n, "of the outputs have a redaction mark")
	suite.Equal(t, (apikey.Secret{}).Reveal()+(apikey.Secret{}).Masked(), "", "the zero Secret is valid")
}

func TestCheckName(t *testing.T) {
	for name, says := range map[string]string{
		"acme": "", "Ada Lovelace": "", "github:ada": "", "Zoë": "", "名前": "", strings.Repeat("é", 64): "",
		"": "empty", " a": "space", "a ": "space", strings.Repeat("é", 65): "65 characters", "a\nb": "U+000A", "a\x00": "U+0000",
		"a\u202eb": "U+202E", "a\u00a0b": "U+00A0", "Zoe\u0308": "normalization form C", "\xff": "UTF-8", "\u200b": "U+200B",
	} {
		err := apikey.CheckName(name)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(known)
	f.Add(known[:40])
	f.Add("")
	f.Add("kx_")
	f.Add("kx_" + strings.Repeat("é", 19))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := apikey.Parse(text)
		if err != nil {
			suite.Require(t, errors.Is(err, apikey.ErrMalformed) && s.Reveal() == "" &&
				len(err.Error()) <= 200, text, err)
			return
		}
		suite.Require(t, s.Reveal() == text && len(text) == 41 && len(s.Hash()) == 64 &&
			!strings.Contains(fmt.Sprintf("%+v %s", s, s.Masked()), text[3:35]), text, "was parsed as", s.Reveal())
		// Changing a single character is always detected.
		for i := 3; i < len(text); i++ {
			other := byte('a')
			if text[i] == other {
				other = 'b'
			}
			suite.Fails(t, suite.Err(apikey.Parse(text[:i]+string(other)+text[i+1:])), "", text, i+1)
		}
	})
}

func TestRedact(t *testing.T) {
	key := apikey.Generate().Reveal()
	short := "kx_" + key[3:7] + "…redacted"
	for text, want := range map[string]string{
		"": "", "nothing here": "nothing here", "kx_": "kx_", "/api/kx_a": "/api/kx_a", "kx_kx_kx_": "kx_kx_kx_",
		key: short, "/api/entity/" + key + "/" + key + "x": "/api/entity/" + short + "/" + short + "x",
		"key=" + key[:20] + "&x=1": "key=" + short + "&x=1", "…" + key + "…": "…" + short + "…",
		"kx_" + key:           "kx_" + short,
		key[:3] + key[3:41]:   short,
		"kx_abcdefghijk":      "kx_abcdefghijk",
		"kx_abcdefghijkl":     "kx_abcd…redacted",
		"see kx_ and key_abc": "see kx_ and key_abc",
	} {
		suite.Equal(t, apikey.Redact(text), want, text)
	}
}

func TestLogHandlerRedacts(t *testing.T) {
	key := apikey.Generate().Reveal()
	var out bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		log := slog.New(apikey.LogHandler(h))
		log.Info("path /"+key, "path", "/"+key, "error", fmt.Errorf("no such thing: %w", errors.New(key)), slog.Group("g", "v", key, "h", slog.GroupValue(slog.String("x", key))))
		log.With("with", key).WithGroup("group").Error("x", "bytes", []string{key}, "map", map[string]string{key: "1"}, "struct", struct{ V any }{key}, key, 1)
		log.Info("plain", "n", 5, "error", errors.New("all is well"), "list", []int{1, 2})
	}
	suite.Lacks(t, out.String(), key[3:20], "the log contains a key")
	suite.Lacks(t, out.String(), key[12:35], "the log contains a key")
	suite.ContainsAll(t, out.String(), "n=5", `error="all is well"`, `"list":[1,2]`, `"error":"all is well"`)
	n := strings.Count(out.String(), "…redacted")
	suite.Holds(t, n >= 18, "only", n, "redaction marks", out.String())
}

func FuzzRedact(f *testing.F) {
	f.Add("kx_", "0123456789abcdefghijklmnopqrstuvwxyzAB")
	f.Add("a kx_b", "")
	f.Fuzz(func(t *testing.T, before, after string) {
		key := apikey.Generate().Reveal()
		if got := apikey.Redact(before + key + after); strings.Contains(got, key[7:35]) {
			t.Fatalf("%q", got)
		}
	})
}
