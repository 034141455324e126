package manifest

import (
	"strings"

	"kindex/exports/ids"
)

// condaMatch matches a package match specification: channel, name, and the version with the build
// (https://docs.conda.io/projects/conda-build/en/stable/resources/package-spec.html).
var condaMatch = lazily(`^(?:(\S*[^:\s]):[^:\s]*:)?([A-Za-z0-9_][A-Za-z0-9_.-]*)\s*(\[.*\])?\s*((?:[=<>!~*]|[0-9]).*)?$`)

var condaField = lazily(`(version|channel|url)\s*=\s*(?:'([^']*)'|"([^"]*)"|([^,\]]*))`)

func (f *file) environment(root *node) {
	for _, m := range root.at("channels") {
		f.addChannel(m)
	}
	for _, m := range root.all("dependencies") {
		f.dependencyOf("", m)
	}
}

// dependencyOf reads a dependency of conda. Those in a table are for pip, or have a selector such as sel(linux).
func (f *file) dependencyOf(key string, v *node) {
	switch {
	case v.kind == table && key == "":
		for _, m := range v.items {
			for _, v := range m.elements() {
				f.dependencyOf(strings.TrimSuffix(m.key, ":"), v)
			}
		}
	case v.kind == null:
	case v.kind > other:
		f.unreadable(v.line, "not a package; expected a name such as pytorch=2.3")
	case key == "pip":
		for n, line := range f.lines(v.text, continued) {
			f.requirementLine(line, v.line+n-1)
		}
	default:
		f.condaSpec(v.text, v.line)
	}
}

func (f *file) condaSpec(spec string, line int) {
	spec = strings.TrimSpace(spec)
	if isAddress(spec) && !strings.Contains(spec, "::") {
		address, _, _ := strings.Cut(spec, "#")
		parts := strings.Split(address, "/")
		m := condaArchive().FindStringSubmatch(lastPart(address))
		switch {
		case m == nil:
			f.add(Entry{Line: line}.from(spec))
		case len(parts) < 3 || !public(address):
			f.add(entry("conda", m[1], m[2], line).noted(isPrivate, spec))
		default:
			f.add(f.conda(parts[len(parts)-3], m[1], "="+m[2], line))
		}
		return
	}
	m := condaMatch().FindStringSubmatch(spec)
	if m == nil {
		f.unreadable(line, "not a package: "+spec+"; expected a name such as pytorch=2.3")
		return
	}
	fields := map[string]string{"version": m[4], "channel": m[1]}
	for _, field := range condaField().FindAllStringSubmatch(m[3], -1) {
		fields[field[1]] = field[2] + field[3] + field[4]
	}
	f.add(f.conda(fields["channel"], m[2], fields["version"], line))
}

func (f *file) addChannel(n *node) {
	if len(f.channels) < maxOthers {
		f.channels = append(f.channels, n.text+n.str("channel"))
	}
}

func (f *file) condaLocked(m *node) {
	if m.str("manager") == "pip" {
		f.add(f.sourced(entry("pypi", m.str("name"), "", m.line), m))
	} else {
		f.condaSpec(m.str("url"), m.line)
	}
}

// channelParts matches what precedes and follows the name of a channel in addresses and specifications.
var channelParts = lazily(`^(?:https?://(?:conda\.anaconda\.org|repo\.anaconda\.com(?:/pkgs)?|(?:repo\.)?prefix\.dev)/(?:t/[^/]+/)?|pkgs/)|` +
	`(?:/(?:noarch|linux-64|linux-aarch64|osx-64|osx-arm64|win-64))?/?$|/label/.*|\[.*`)

// mainChannels are those whose packages are known without the channel.
var mainChannels = map[string]bool{"conda-forge": true, "defaults": true, "nodefaults": true, "main": true, "anaconda": true}

// conda returns the entry for a package in a channel or, if it is "", in the channels of the file.
func (f *file) conda(channel, name, version string, line int) Entry {
	version = strings.TrimSpace(version)
	e := entry("conda", strings.ToLower(name), strings.TrimPrefix(version, "*"), line)
	e.Name = name
	if version != "" && (version[0] >= '0' && version[0] <= '9' || version[0] == '=') && !strings.ContainsAny(version, ",|<>") {
		e.Version, _, _ = strings.Cut(strings.Join(strings.Fields(strings.TrimLeft(version, "= ")), "="), "=") // without the build
	}
	channels := f.channels
	if channel != "" {
		channels = []string{channel}
	}
	known := len(channels) == 0
	for _, c := range channels {
		c = channelParts().ReplaceAllString(strings.ToLower(c), "")
		if strings.Contains(c, ":") || c == "" {
			continue // an address
		}
		known = known || ids.PublicChannel(c) || c == "nodefaults"
		if !mainChannels[c] {
			e.IDs = append(e.IDs, "conda:"+c+"/"+strings.ToLower(name))
		}
	}
	if known {
		return e
	}
	if e.IDs = e.IDs[1:]; len(e.IDs) == 0 {
		return e.noted("comes from another channel: ", strings.Join(channels, ", "))
	}
	return e
}
