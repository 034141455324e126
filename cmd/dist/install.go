package main

import (
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"strings"
)

//go:embed install.sh
var installText string

// urlMarks are the characters that an address in the install script may contain in addition to
// letters and digits. The shell gives none of them a meaning between quotes.
const urlMarks = "- . _ ~ : / @ % +"

var (
	installableURL = regexp.MustCompile(`^https://[A-Za-z0-9][-A-Za-z0-9._~:/@%+]*$`)
	verifierKey    = regexp.MustCompile(`^[-A-Za-z0-9._/]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+$`)
)

func installable(url string) bool { return installableURL.MatchString(url) }

func installableKey(verifier string) bool { return verifierKey.MatchString(verifier) }

// installScript writes the install script of this release: with its version, where its files
// will be, and the key that signs its sums.
func (r *release) installScript(key *signingKey) error {
	r.step("install.sh")
	verifier := ""
	if key != nil {
		verifier = key.verifier
	}
	text := installText
	for name, value := range map[string]string{"version": r.version, "url": r.url, "key": verifier} {
		line := "\n" + name + "=''\n"
		if strings.Count(text, line) != 1 {
			return fmt.Errorf("cmd/dist/install.sh must have one line %s=''", name)
		}
		text = strings.Replace(text, line, "\n"+name+"='"+value+"'\n", 1)
	}
	return os.WriteFile(r.asset("install.sh"), []byte(text), 0o755)
}
