package mirror_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// shown is a bucket that is shown to readers that have accepted the second build, and to readers that
// have accepted none.
type shown struct {
	name   string
	from   bucket.Reader
	keyed  string // why a reader with the key refuses it, or ""
	plain  string // why a reader without a key does
	fresh  string // why a reader with the key does that has accepted nothing
	number int64  // of the signature
}

// offers returns everything that readers may be shown. The second build is published with number 6.
func offers(t *testing.T, k *sign.Key) (good bucket.Bucket, list []shown) {
	t.Helper()
	first, second := builds(t)
	stranger := newKey(t)
	const older = "is older than the last accepted build"
	origin := t.TempDir()
	good = openBucket(t, "file:"+origin)
	add := func(name, plain, keyed, fresh string, number int64, change func(to bucket.Bucket, dir string)) {
		to, dir := copyBucket(t, origin)
		change(to, dir)
		list = append(list, shown{name, to, keyed, plain, fresh, number})
	}
	for range 3 {
		publish(t, good, first, k)
		publish(t, good, second, k) // number 6 at the end
	}
	add("an older build, signed with an older number", older, older, "", 3, func(to bucket.Bucket, dir string) {
		publish(t, to, first, k)
		rewrite(t, filepath.Join(dir, "current"), resigned(t, k, func(s *sign.Statement) { s.Counter = 3 }))
	})
	add("the same build again", "", "", "", 6, func(bucket.Bucket, string) {})
	add("an older build, signed again later", older, older, "", 7, func(to bucket.Bucket, _ string) { publish(t, to, first, k) })
	add("an older build, not signed", older, "is not signed", "is not signed", 0, func(to bucket.Bucket, _ string) {
		publish(t, to, first, nil)
	})
	add("the same build, not signed", "", "is not signed", "is not signed", 0, func(_ bucket.Bucket, dir string) {
		rewrite(t, filepath.Join(dir, "current"), unsigned(t))
	})
	add("the same build, signed by a stranger", "", "is signed with the key", "is signed with the key", 0, func(to bucket.Bucket, _ string) {
		publish(t, to, second, stranger)
	})
	add("an altered statement", "", "does not match the text", "does not match the text", 0, func(_ bucket.Bucket, dir string) {
		rewrite(t, filepath.Join(dir, "current"), replace("counter 6", "counter 9"))
	})
	add("the signature of another build", "", "so "+current(t, second)+" was not signed", "was not signed", 0, func(to bucket.Bucket, dir string) {
		publish(t, to, first, k)
		signature := currentOf(t, dir)["signature"]
		publish(t, to, second, k)
		rewrite(t, filepath.Join(dir, "current"), edited(t, func(c map[string]any) { c["signature"] = signature }))
	})
	add("the signature with other files", "but the ID of its content is", "is about other files", "is about other files", 0, func(_ bucket.Bucket, dir string) {
		sum := alterList(t, dir, replace(`"mappingVersion": `, `"mappingVersion": 9`))
		rewrite(t, filepath.Join(dir, "current"), edited(t, func(c map[string]any) { c["files"] = sum }))
	})
	add("the same number for another build", older, older, "", 6, func(to bucket.Bucket, dir string) {
		publish(t, to, first, k)
		rewrite(t, filepath.Join(dir, "current"), resigned(t, k, func(s *sign.Statement) { s.Counter = 6 }))
	})
	add("a statement that contradicts the manifest", "", "contradicts its manifest", "contradicts its manifest", 0, func(_ bucket.Bucket, dir string) {
		rewrite(t, filepath.Join(dir, "current"), resigned(t, k, func(s *sign.Statement) { s.Commit, s.Counter = strings.Repeat("a", 40), 8 }))
	})
	return good, list
}

func current(t *testing.T, dir string) string {
	t.Helper()
	return suite.Must(store.Current(dir))(t)
}

// currentOf returns the content of current in a bucket in a folder.
func currentOf(t *testing.T, dir string) (c map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "current"))
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	suite.Check(t, err)
	return c
}

// edited changes the members of current.
func edited(t *testing.T, edit func(c map[string]any)) func(string) string {
	return func(text string) string {
		var c map[string]any
		suite.Check(t, json.Unmarshal([]byte(text), &c))
		edit(c)
		data := suite.Must(json.Marshal(c))(t)
		return string(data)
	}
}

func unsigned(t *testing.T) func(string) string {
	return edited(t, func(c map[string]any) { delete(c, "signature") })
}

// resigned signs a changed statement with the same key.
func resigned(t *testing.T, k *sign.Key, change func(*sign.Statement)) func(string) string {
	return edited(t, func(c map[string]any) {
		s, _, err := sign.Open([]byte(c["signature"].(string)), keys(k))
		suite.Check(t, err)
		change(s)
		signed := suite.Must(s.Sign(k))(t)
		c["signature"] = string(signed)
	})
}

// alterList changes the published list, and stores it under its new hash.
func alterList(t *testing.T, dir string, change func(string) string) (sum string) {
	t.Helper()
	sum = currentOf(t, dir)["files"].(string)
	data := suite.Must(os.ReadFile(filepath.Join(dir, "files", "sha256", sum[:2], sum)))(t)
	altered := change(string(data))
	hash := sha256.Sum256([]byte(altered))
	sum = hex.EncodeToString(hash[:])
	name := filepath.Join(dir, "files", "sha256", sum[:2], sum)
	suite.Check(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(altered), 0o644)))
	return sum
}

// TestAccepted shows every offer to readers in every mode: with and without the key, of whole builds and
// of some files, with an intact folder and with one whose current build is damaged or gone.
func TestAccepted(t *testing.T) {
	k := newKey(t)
	good, list := offers(t, k)
	damages := []struct {
		name string
		do   func(dir string) error
	}{
		{"intact", func(string) error { return nil }},
		{"current damaged", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "exports", "current"), []byte("garbage"), 0o644)
		}},
		{"builds gone", func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "exports")), os.RemoveAll(filepath.Join(dir, "indexes")))
		}},
		{"only", nil},
		{"only, manifest damaged", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("garbage"), 0o644)
		}},
	}
	for _, c := range list {
		var row strings.Builder
		for _, keyed := range []bool{true, false} {
			for _, damage := range damages {
				o := mirror.PullOptions{Dir: t.TempDir()}
				want := c.plain
				if keyed {
					o.Verifiers, want = keys(newKey(t), k), c.keyed
				}
				if strings.HasPrefix(damage.name, "only") {
					o.Only = []string{"entities.csv"}
				}
				name := fmt.Sprintf("%s, key %v, %s", c.name, keyed, damage.name)
				suite.Must(mirror.Pull(t.Context(), good, o))(t)
				if damage.do != nil {
					suite.Check(t, damage.do(o.Dir))
				}
				before := tree(t, o.Dir)
				r, err := mirror.Pull(t.Context(), c.from, o)
				if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
					t.Errorf("%s: %v, want %q", name, err, want)
				}
				if err != nil && tree(t, o.Dir) != before {
					t.Errorf("%s: the folder was changed: %s", name, tree(t, o.Dir))
				}
				if err == nil && keyed && r.Signature.Counter != c.number {
					t.Errorf("%s: %+v", name, r.Signature)
				}
				mark := "+"
				if err != nil {
					mark = "–"
				}
				row.WriteString(" " + mark)
			}
		}
		t.Logf("%-45s%s", c.name, row.String())
		// A reader that has accepted nothing, and one that is told to accept an older build.
		o := mirror.PullOptions{Dir: t.TempDir(), Verifiers: keys(k)}
		if _, err := mirror.Pull(t.Context(), c.from, o); (err == nil) != (c.fresh == "") || !strings.Contains(fmt.Sprint(err), c.fresh) {
			t.Errorf("%s: a new reader: %v, want %q", c.name, err, c.fresh)
		}
		o = mirror.PullOptions{Dir: t.TempDir(), Verifiers: keys(k), AllowOlder: true}
		pull(t, good, o)
		if _, err := mirror.Pull(t.Context(), c.from, o); (err == nil) != (c.fresh == "") {
			t.Errorf("%s: with --allow-older: %v", c.name, err)
		}
	}
}

// tree returns the names and sizes of the files in a folder, and what they contain if they are small.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	suite.Check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %d %.300q\n", strings.TrimPrefix(path, dir), len(data), data)
		return err
	}))
	return b.String()
}

// TestAcceptedIsDamaged damages the record of what was accepted: nothing is accepted until it is
// removed.
func TestAcceptedIsDamaged(t *testing.T) {
	_, second := builds(t)
	to, o := openBucket(t, "file:"+t.TempDir()), mirror.PullOptions{Dir: t.TempDir()}
	publish(t, to, second, nil)
	pull(t, to, o)
	record := filepath.Join(o.Dir, ".kindex-accepted")
	rewrite(t, record, func(string) string { return "garbage" })
	if _, err := mirror.Pull(t.Context(), to, o); err == nil || !strings.Contains(err.Error(), "remove "+record+" to accept the published one") {
		t.Fatal(err)
	}
	suite.Check(t, os.Remove(record))
	pull(t, to, o)
}

// TestSigned publishes signed builds: each has the next number, whatever the bucket remembers.
func TestSigned(t *testing.T) {
	first, second := builds(t)
	k, dir := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+dir)
	publish(t, to, first, nil)
	if r := publish(t, to, first, k); r.Unchanged || r.Sent != 0 || r.Signature.Counter != 1 {
		t.Errorf("signed an unsigned build: %+v", r)
	}
	for range 2 {
		if r := publish(t, to, first, k); !r.Unchanged || r.Signature.Counter != 1 {
			t.Errorf("signed twice: %+v", r)
		}
	}
	if r := publish(t, to, first, nil); !r.Unchanged || r.Signature != nil {
		t.Errorf("published again without a key: %+v", r)
	}
	if r := publish(t, to, second, nil); r.PreviousKey != sign.KeyName(k.Verifier) {
		t.Errorf("%+v", r)
	}
	if r := publish(t, to, second, k); r.Signature.Counter != 2 {
		t.Errorf("after an unsigned build: %+v", r.Signature)
	}
	suite.Check(t, os.Remove(filepath.Join(dir, "current")))
	if r := publish(t, to, first, k); r.Signature.Counter != 3 {
		t.Errorf("without current: %+v", r.Signature)
	}
	// A publisher that remembers its last number does not depend on the bucket.
	folder := t.TempDir()
	suite.Check(t, os.CopyFS(folder, os.DirFS(second)))
	for want := int64(4); want < 6; want++ {
		other := openBucket(t, "file:"+t.TempDir())
		if want == 4 {
			other = to
		}
		r, err := mirror.Publish(t.Context(), other, mirror.PublishOptions{Dir: folder, Dirty: true, Key: k})
		if err != nil || r.Signature.Counter != want {
			t.Errorf("%+v %v", r, err)
		}
	}
}

// TestCheckSaved checks a build that is in the folder already.
func TestCheckSaved(t *testing.T) {
	_, second := builds(t)
	k, dir := newKey(t), t.TempDir()
	to := openBucket(t, "file:"+t.TempDir())
	publish(t, to, second, nil)
	id := pull(t, to, mirror.PullOptions{Dir: dir}).Build
	if err := mirror.CheckSaved(dir, id, nil); err != nil {
		t.Error(err)
	}
	if err := mirror.CheckSaved(dir, id, keys(k)); !errors.Is(err, mirror.ErrUnsigned) {
		t.Error(err)
	}
	publish(t, to, second, k)
	if r := pull(t, to, mirror.PullOptions{Dir: dir}); !r.Unchanged || r.Signature != nil { // keeps the statement, unverified
		t.Errorf("%+v", r)
	}
	if s, err := mirror.SavedSignature(dir, id, nil); err != nil || s == nil || s.Verified {
		t.Errorf("%+v %v", s, err)
	}
	if err := mirror.CheckSaved(dir, id, keys(newKey(t), k)); err != nil {
		t.Error(err)
	}
	if err := mirror.CheckSaved(dir, id, keys(newKey(t))); !errors.Is(err, mirror.ErrUnknownKey) {
		t.Error(err)
	}
	rewrite(t, filepath.Join(dir, "indexes", "builds", id, "manifest.json"), replace("{", " {"))
	if err := mirror.CheckSaved(dir, id, keys(k)); err == nil || !strings.Contains(err.Error(), "is about other files") {
		t.Error(err)
	}
}
