package seal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/seal"
)

func parse(t *testing.T, text string) *seal.Keys {
	t.Helper()
	return suite.Must(seal.Parse(text))(t)
}

func TestSealedTextsOpenOnlyWhereTheyBelong(t *testing.T) {
	k := parse(t, seal.Generate())
	secret := []byte("whsec_of_a_webhook")
	sealed := k.Seal(secret, "webhook", "wh_1")
	again := k.Seal(secret, "webhook", "wh_1")
	suite.Holds(t, again != sealed, "the same secret is sealed to the same text")
	suite.Lacks(t, sealed, "whsec", "the sealed text contains the secret")
	if got, err := k.Open(sealed, "webhook", "wh_1"); err != nil || !bytes.Equal(got, secret) {
		t.Fatalf("%q, %v", got, err)
	}
	for _, at := range [][2]string{{"webhook", "wh_2"}, {"session", "wh_1"}, {"webhoo", "kwh_1"}, {"", ""}} {
		suite.Is(t, suite.Err(k.Open(sealed, at[0], at[1])), seal.ErrDamaged, at)
	}
	for i := range len(sealed) { // changing any byte must be detected
		for _, c := range []byte{'A', 'b', '.'} {
			b := []byte(sealed)
			if b[i] == c {
				continue
			}
			b[i] = c
			if got, err := k.Open(string(b), "webhook", "wh_1"); err == nil {
				t.Errorf("%q at %d: opens as %q", c, i, got)
			}
		}
	}
	for _, s := range []string{"", ".", "..", "s1..", "s1." + k.IDs()[0] + ".", "s2" + sealed[2:]} {
		suite.Fails(t, suite.Err(k.Open(s, "webhook", "wh_1")), "", s)
	}
}

func TestRotation(t *testing.T) {
	older, newer := seal.Generate(), seal.Generate()
	before := parse(t, older)
	sealed := before.Seal([]byte("secret"), "p", "r")
	both := parse(t, newer+"\n"+older)
	suite.Equal(t, string(suite.Must(both.Open(sealed, "p", "r"))(t)), "secret", "the old key cannot open")
	suite.Holds(t, !both.Current(sealed) &&
		both.Current(both.Seal(nil, "p", "r")), "the first key was not used to seal")
	var unknown *seal.UnknownKeyError
	if _, err := parse(t, newer).Open(sealed, "p", "r"); !errors.As(err, &unknown) || unknown.ID != before.IDs()[0] {
		t.Errorf("without the old key: %v", err)
	}
}

func TestKeysAreReadStrictlyAndNeverShown(t *testing.T) {
	k := seal.Generate()
	for text, says := range map[string]string{
		"": "no key found", "# nothing": "no key found", "\n\nabc": "line 3: invalid key",
		k[:40]: "line 1: invalid key", k + k: "line 1: invalid key", k + "," + k: "duplicate",
	} {
		if _, err := seal.Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		} else if strings.Contains(err.Error(), k[:20]) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	keys := parse(t, "# mine\r\n"+k+" # of 2026\r\n")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		s := fmt.Sprintf(verb, keys)
		suite.Holds(t, strings.Contains(s, keys.IDs()[0]) && len(s) <= 60, verb, "shows", s)
	}
}

func TestTheKeyFileIsMadeOnceForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kindex.key")
	var wg sync.WaitGroup
	ids, made := make([]string, 16), make([]bool, 16)
	for i := range ids {
		wg.Go(func() {
			k, m, err := seal.LoadOrMake(path)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i], made[i] = k.IDs()[0], m
		})
	}
	wg.Wait()
	makers := 0
	for i := range ids {
		suite.Equal(t, ids[i], ids[0], "two keys are in use")
		if made[i] {
			makers++
		}
	}
	suite.Equal(t, makers, 1, "callers created the file")
	suite.Equal(t, suite.Must(os.Stat(path))(t).Mode().Perm(), 0o600, "mode")
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".kindex-key-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	suite.Check(t, os.Chmod(path, 0o644))
	suite.Fails(t, suite.Err(seal.Load(path)), "chmod 600")
}

func FuzzOpen(f *testing.F) {
	k := suite.Must(seal.Parse(seal.Generate()))(f)
	f.Add("s1." + k.IDs()[0] + ".AAAA")
	f.Add("s1..")
	f.Fuzz(func(t *testing.T, sealed string) {
		if got, err := k.Open(sealed, "p", "r"); err == nil {
			t.Errorf("%q opens as %q", sealed, got)
		}
	})
}
