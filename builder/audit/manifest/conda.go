package manifest

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
)

// condaSpec matches a package match specification: channel, name, version and build
// (https://docs.conda.io/projects/conda-build/en/stable/resources/package-spec.html).
var condaSpec = regexp.MustCompile(`^(?:([A-Za-z0-9_./-]+)::)?([A-Za-z0-9_.-]+?)\s*(?:([=<>!~].*|\s[0-9*].*))?$`)

// parseEnvironment reads conda's environment.yml, in which the pip packages are a list of
// requirements.
func parseEnvironment(f *file) error {
	d := yamldoc.Parse(f.shown, f.data)
	if problems := d.Report(); len(problems) > 0 {
		return errors.New(problems[0].String())
	}
	m, _ := d.Value.(map[string]any)
	list, _ := m["dependencies"].([]any)
	for i, v := range list {
		line, _ := d.Locate([]string{"dependencies", strconv.Itoa(i)}, false)
		switch v := v.(type) {
		case string:
			if err := f.addConda(v, line); err != nil {
				return err
			}
		case map[string]any:
			pip, _ := v["pip"].([]any)
			for j, text := range pip {
				line, _ := d.Locate([]string{"dependencies", strconv.Itoa(i), "pip", strconv.Itoa(j)}, false)
				if s, ok := text.(string); ok && strings.TrimSpace(s) != "" {
					if err := f.requirementLine(strings.TrimSpace(s), line); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (f *file) addConda(text string, line int) error {
	m := condaSpec.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return f.wrong(line, "not a package; expected a name such as pytorch=2.3")
	}
	e := Entry{ID: "conda:" + m[2], Name: m[2], Line: line, Version: strings.TrimSpace(m[3])}
	if channel := m[1][strings.LastIndexByte(m[1], '/')+1:]; channel != "" {
		e.ID = "conda:" + channel + "/" + m[2]
	}
	if pinned := strings.TrimLeft(e.Version, "="); pinned != e.Version && !strings.ContainsAny(pinned, ",|*<>") {
		e.Version, _, _ = strings.Cut(pinned, "=") // drop the build string
	}
	return f.add(e)
}
