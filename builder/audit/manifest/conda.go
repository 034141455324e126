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
	root.each("channels", f.addChannel)
	for _, m := range root.all("dependencies") {
		switch m.kind {
		case table:
			for _, m := range m.items {
				pip := strings.TrimSuffix(m.key, ":") == "pip"
				for _, v := range elements(m) {
					switch {
					case v.kind == null:
					case v.kind > other:
						f.unreadable(v.line, "not a package")
					case pip:
						for n, line := range f.lines(v.text, true) {
							f.requirementLine(line, v.line+n-1)
						}
					default: // sel(linux): name
						f.condaSpec(v.text, v.line)
					}
				}
			}
		case text, other:
			f.condaSpec(m.text, m.line)
		case list:
			f.unreadable(m.line, "not a package; expected a name such as pytorch=2.3")
		}
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
			f.add(Entry{Name: m[1], Version: m[2], Line: line, Note: "comes from another registry: " + spec})
		default:
			f.condaEntry(parts[len(parts)-3], m[1], "="+m[2], line)
		}
		return
	}
	m := condaMatch().FindStringSubmatch(spec)
	if m == nil {
		f.unreadable(line, "not a package: "+spec+"; expected a name such as pytorch=2.3")
		return
	}
	version, channel := m[4], m[1]
	for _, field := range condaField().FindAllStringSubmatch(m[3], -1) {
		switch value := field[2] + field[3] + field[4]; field[1] {
		case "version":
			version = value
		case "channel":
			channel = value
		}
	}
	f.condaEntry(channel, m[2], version, line)
}

// condaEntry adds a package in a channel, or in one of the file's channels.
func (f *file) condaEntry(channel, name, version string, line int) {
	version = strings.TrimSpace(version)
	e := Entry{ID: "conda:" + strings.ToLower(name), Name: name, Version: strings.TrimPrefix(version, "*"), Line: line}
	if version != "" && (version[0] >= '0' && version[0] <= '9' || version[0] == '=') && !strings.ContainsAny(version, ",|<>") {
		e.Version, _, _ = strings.Cut(strings.Join(strings.Fields(strings.TrimLeft(version, "= ")), "="), "=") // without the build
	}
	f.condaID(&e, channel)
	f.add(e)
}

func (f *file) addChannel(n *node) {
	if len(f.channels) < maxOthers {
		f.channels = append(f.channels, n.text+n.str("channel"))
	}
}

func (f *file) condaLock(root *node) {
	for _, m := range root.all("package") {
		if m.str("manager") == "pip" {
			f.add(f.sourced(Entry{ID: "pypi:" + m.str("name"), Name: m.str("name"), Line: m.line}, m))
		} else {
			f.condaSpec(m.str("url"), m.line)
		}
	}
}

var channelAddress = lazily(`^https?://(?:conda\.anaconda\.org|repo\.anaconda\.com(?:/pkgs)?|(?:repo\.)?prefix\.dev)/(?:t/[^/]+/)?`)

// mainChannels are those whose packages are known without the channel.
var mainChannels = map[string]bool{"conda-forge": true, "defaults": true, "nodefaults": true, "main": true, "anaconda": true}

// condaID sets the identifier of a package in a channel or, if it is "", in the channels of the file.
func (f *file) condaID(e *Entry, channel string) {
	name := "conda:" + strings.ToLower(e.Name)
	channels := f.channels
	if channel != "" {
		channels = []string{channel}
	}
	e.ID, e.Also = name, nil
	known := len(channels) == 0
	for _, c := range channels {
		c = strings.Trim(channelAddress().ReplaceAllString(c, ""), "/")
		for _, suffix := range []string{"/noarch", "/linux-64", "/linux-aarch64", "/osx-64", "/osx-arm64", "/win-64"} {
			c = strings.TrimSuffix(c, suffix)
		}
		c, _, _ = strings.Cut(strings.ToLower(strings.TrimPrefix(c, "pkgs/")), "/label/")
		c, _, _ = strings.Cut(c, "[")
		if strings.Contains(c, ":") || c == "" {
			continue // an address
		}
		known = known || ids.PublicChannel(c) || c == "nodefaults"
		if !mainChannels[c] {
			e.Also = append(e.Also, "conda:"+c+"/"+strings.ToLower(e.Name))
		}
	}
	if !known {
		e.ID, e.Note = "", "comes from another channel: "+strings.Join(channels, ", ")
		if len(e.Also) > 0 {
			e.ID, e.Note, e.Also = e.Also[0], "", e.Also[1:]
		}
	}
}
