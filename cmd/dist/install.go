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

// installFile is the install script as an asset.
const installFile = "install.sh"

// installScript writes the install script of this release: with its version and where its files
// will be. The public key is added when the release is signed.
func (r *release) installScript() error {
	r.step(installFile)
	text := installText
	for name, value := range map[string]string{"version": r.version, "url": r.url} {
		var err error
		if text, err = setLine(text, name, value); err != nil {
			return err
		}
	}
	return os.WriteFile(r.asset(installFile), []byte(text), 0o755)
}

// setLine sets a variable of the install script that is still empty. The value must not contain
// single quotes.
func setLine(text, name, value string) (string, error) {
	line := "\n" + name + "=''\n"
	if strings.Count(text, line) != 1 {
		return "", fmt.Errorf("%s must have one line %s=''", installFile, name)
	}
	return strings.Replace(text, line, "\n"+name+"='"+value+"'\n", 1), nil
}
