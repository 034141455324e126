package importer

import (
	"fmt"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/exports/record"
)

// guessTarget is a field for which Guess looks for a column.
type guessTarget struct {
	path  string
	typ   string   // "" for both types
	names []string // names of columns, as normalName returns them, the best first
	// form returns the value for a column as YAML, and what is doubtful about it. If the
	// column is unsuitable, ok is false and doubt says why.
	form func(g *guesser, c *column) (form, doubt string, ok bool)
}

// guessTargets lists the fields in the order in which columns are chosen for them.
var guessTargets = slices.Concat([]guessTarget{
	{"links.repository", "", []string{"repository", "repo", "github", "githuburl", "githubid", "repourl", "repositoryurl", "htmlurl", "sourcecode", "githubrepo", "fullname", "reponame", "gitrepo", "code"}, repositoryForm},
	{"name", "", []string{"name", "title", "displayname", "tool", "toolname", "model", "modelname", "project", "projectname", "product", "package", "packagename", "library", "reponame"}, plainText(false)},
	{"description", "", []string{"description", "summary", "about", "tagline", "abstract", "shortdescription", "desc"}, plainText(false)},
	{"category", "", []string{"category", "categories", "topic", "group", "section", "area", "task", "pipelinetag", "kind", "type", "class"}, (*guesser).categoryForm},
	{"provider", "", []string{"provider", "vendor", "maker", "company", "organization", "organisation", "developer", "author", "owner", "publisher", "creator", "org", "orgname", "organizationname", "organisationname", "companyname", "vendorname", "authorname"}, plainText(false)},
	{"version", "", []string{"version", "latestversion", "latestrelease", "currentversion", "tagname", "lateststablereleasenumber"}, plainText(true)},
	{"license", "", []string{"license", "licence", "licensename", "spdx", "spdxid", "licensetype"}, licenseForm},
	{"pricingModel", "", []string{"pricingmodel", "pricing", "price", "cost", "plan"}, pricingForm},
	{"url", "", []string{"homepage", "website", "url", "link", "web", "site", "homepageurl", "websiteurl", "modelurl", "home"}, addressOnly},
	{"tags", "", []string{"tags", "labels", "keywords", "topics", "tag"}, listForm},
	{"links.documentation", "", []string{"documentation", "docs", "docsurl", "documentationurl", "docurl"}, addressOnly},
	{"links.paper", "", []string{"paper", "paperurl", "arxivurl", "publication"}, addressOnly},
	{"links.demo", "", []string{"demo", "demourl", "playground"}, addressOnly},
	{"links.modelCard", "model", []string{"modelcard", "modelcardurl", "huggingfaceurl"}, addressOnly},
	{"links.changelog", "", []string{"changelog", "changelogurl", "releasenotes"}, addressOnly},
	{"ids.pypi", "", []string{"pypi", "pypiname", "pypiid", "pypipackage"}, idForm(isPlainName, "names of packages")},
	{"ids.npm", "", []string{"npm", "npmname", "npmid", "npmpackage"}, idForm(func(s string) bool { return !isAddress(s) && !strings.ContainsAny(s, " ") }, "names of packages")},
	{"ids.huggingface", "model", []string{"huggingface", "huggingfaceid", "hfid", "hf", "modelid"}, idForm(isPair, "of the form owner/name")},
	{"family", "model", []string{"family", "modelfamily", "series"}, slugForm},
	{"openWeights", "model", []string{"openweights", "openweight", "opensource", "isopen"}, idForm(isAnswer, "true or false")},
	{"reasoning", "model", []string{"reasoning", "isreasoning"}, idForm(isAnswer, "true or false")},
	{"knowledge", "model", []string{"knowledge", "knowledgecutoff", "cutoff"}, idForm(isDateOrMonth, "dates or months")},
	{"modalities.input", "model", []string{"modalitiesinput", "inputmodalities"}, modalityForm},
	{"modalities.output", "model", []string{"modalitiesoutput", "outputmodalities"}, modalityForm},
	{"parameters.total", "model", []string{"parameters", "params", "numparameters", "parametercount"}, idForm(isPlainNumber, "plain numbers")},
}, guessSignals)

// guessSignals lists the signals for which Guess looks for a column.
var guessSignals = []guessTarget{
	signalTarget("stars", "star", "starcount", "starscount", "githubstars", "stargazers", "stargazerscount"),
	signalTarget("forks", "fork", "forkcount", "forkscount", "githubforks"),
	signalTarget("commits", "commitcount"),
	signalTarget("contributors", "contributorcount", "contributorscount"),
	signalTarget("openIssues", "openissues", "openissuecount", "openissuescount"),
	signalTarget("dependents", "dependentcount", "dependentprojectcount", "usedby"),
	signalTarget("citations", "citation", "citationcount", "citedby"),
	signalTarget("downloads", "monthlydownloads", "downloadsmonth", "downloadslastmonth"),
	signalTarget("likes", "like", "likecount"),
	signalTarget("contextTokens", "contextlength", "contextwindow", "contextsize", "context", "limitcontext"),
	signalTarget("outputTokens", "maxoutput", "maxoutputtokens", "outputlimit", "limitoutput"),
	signalTarget("released", "releasedate", "releasedat", "launchdate", "publicationdate"),
	signalTarget("lastRelease", "latestreleasedate", "lastreleasedate", "lateststablereleasepublishedat"),
	signalTarget("created", "createdat", "creationdate"),
	signalTarget("lastCommit", "pushedat", "lastcommitat", "lastcommitpushedat", "lastcommitdate"),
}

func signalTarget(name string, names ...string) guessTarget {
	return guessTarget{"signals." + name, "", append([]string{normalName(name)}, names...), func(_ *guesser, c *column) (string, string, bool) {
		if kind, _ := record.SignalType(name); kind.Kind == record.Day {
			form, doubt, ok := dateForm(c)
			if strings.HasPrefix(form, "{") {
				form = "{value: " + form + "}"
			}
			return form, doubt, ok
		}
		return countForm(c)
	}}
}

// plainText is for a column of texts. If numbers is set, they need no letters.
func plainText(numbers bool) func(*guesser, *column) (string, string, bool) {
	return func(_ *guesser, c *column) (string, string, bool) {
		switch {
		case c.list:
			return "{column: " + scalar(c.name) + ", take: first}", "the values are lists, of which the first entry is used", true
		case !numbers && c.most(isPlainNumber):
			return "", "its values are numbers; for example " + shown(c.sortedValues()[0]), false
		case c.most(isAddress):
			return "", "its values are addresses; for example " + shown(c.sortedValues()[0]), false
		}
		return scalar(c.name), "", true
	}
}

// repositoryForm is for addresses of repositories and for names such as owner/name.
func repositoryForm(_ *guesser, c *column) (string, string, bool) {
	switch {
	case c.list:
	case c.most(isRepository):
		return scalar(c.name), "", true
	case c.most(isPair):
		doubt := ""
		if !strings.Contains(c.norm, "github") {
			doubt = "its values are treated as GitHub repositories"
		}
		return `{template: ` + scalar("https://github.com/{"+c.name+"}") + `}`, doubt, !strings.ContainsAny(c.name, "{}")
	}
	return "", "its values are neither addresses of repositories nor of the form owner/name; for example " + shown(c.example(isRepository)), false
}

func addressOnly(_ *guesser, c *column) (string, string, bool) {
	if c.list || c.share(isAddress) < 0.5 {
		return "", "its values are not addresses; for example " + shown(c.example(isAddress)), false
	}
	doubt := ""
	if bad := c.example(isAddress); bad != "" {
		doubt = "some values are not addresses that start with https://; for example " + shown(bad)
	}
	return scalar(c.name), doubt, true
}

// licenseForm replaces texts that are no licences.
func licenseForm(_ *guesser, c *column) (string, string, bool) {
	if c.list {
		return "", "its values are lists", false
	}
	var none, unknown []string
	for _, value := range c.sortedValues() {
		switch {
		case schema.License(value) != "":
		case slices.Contains([]string{"other", "custom", "noassertion", "unlicensed", "proprietary"}, strings.ToLower(value)): // hence writable
			none = append(none, scalar(value)+": null")
		default:
			unknown = append(unknown, shown(value))
		}
	}
	doubt := ""
	if len(unknown) > 0 {
		doubt = "not in the SPDX list: " + listed(unknown)
	}
	if len(none) == 0 {
		return scalar(c.name), doubt, true
	}
	return "{column: " + scalar(c.name) + ", values: {" + strings.Join(none, ", ") + "}}", doubt, true
}

func pricingForm(_ *guesser, c *column) (string, string, bool) {
	known := func(s string) bool { return slices.Contains(record.PricingModels, content.Slugify(s)) }
	if c.list || !c.most(known) {
		return "", "its values are not among " + strings.Join(record.PricingModels, ", ") + "; for example " + shown(c.example(known)), false
	}
	return slugForm(nil, c)
}

func slugForm(_ *guesser, c *column) (string, string, bool) {
	if c.list {
		return "", "its values are lists", false
	}
	return "{column: " + scalar(c.name) + ", as: slug}", "", true
}

// listForm is for lists, and for texts with separators.
func listForm(_ *guesser, c *column) (string, string, bool) {
	if c.list {
		return "{column: " + scalar(c.name) + ", as: slug}", "", true
	}
	if c.most(func(s string) bool { return pythonForm.MatchString(s) }) {
		return "{column: " + scalar(c.name) + ", list: python, as: slug}", "", true
	}
	best, share := "", 0.0
	for _, separator := range []string{"|", ";", ","} {
		if n := c.share(func(s string) bool { return strings.Contains(s, separator) }); n > share {
			best, share = separator, n
		}
	}
	if best == "" {
		return "{column: " + scalar(c.name) + ", as: slug}", "no value contains a separator, so each one becomes a single entry", true
	}
	return "{column: " + scalar(c.name) + ", list: " + scalar(best) + ", as: slug}", "", true
}

// modalityForm is for lists of modalities.
func modalityForm(g *guesser, c *column) (string, string, bool) {
	known := func(s string) bool { return slices.Contains(record.Modalities, strings.ToLower(s)) }
	if c.list && !c.most(known) {
		return "", "its values are not among " + strings.Join(record.Modalities, ", ") + "; for example " + shown(c.example(known)), false
	}
	return listForm(g, c)
}

// idForm is for values that pass a test.
func idForm(test func(string) bool, what string) func(*guesser, *column) (string, string, bool) {
	return func(_ *guesser, c *column) (string, string, bool) {
		if c.list || !c.most(test) {
			return "", "its values are not " + what + "; for example " + shown(c.example(test)), false
		}
		return scalar(c.name), "", true
	}
}

// countForm is for numbers.
func countForm(c *column) (string, string, bool) {
	number, separated, separator := isGrouped, groupedForm.MatchString, "commas"
	if c.decimalComma {
		number, separated, separator = withPoint(number), withPoint(separated), "points"
	}
	if c.list || !c.most(number) {
		return "", "its values are not numbers; for example " + shown(c.example(number)), false
	}
	doubt := ""
	if example := c.example(func(s string) bool { return !separated(s) }); example != "" {
		doubt = separator + " are read as thousands separators, as in " + shown(example)
	}
	return scalar(c.name), doubt, true
}

// dateForm is for dates in the order that its values show.
func dateForm(c *column) (string, string, bool) {
	if c.list {
		return "", "its values are lists", false
	}
	if c.most(isDateOrMonth) {
		return scalar(c.name), "", true
	}
	over := func(position int) bool { // whether a number can only be a day
		return c.share(func(s string) bool {
			m := twoFirst.FindStringSubmatch(s)
			return m != nil && len(m[position]) == 2 && m[position] > "12"
		}) > 0
	}
	isShort := func(s string) bool { return twoFirst.MatchString(s) }
	switch {
	case !c.most(isShort):
		return "", "its values are not dates such as 2024-06-06; for example " + shown(c.example(isDay)), false
	case over(1) && over(2):
		return "", "its dates are not all in the same order of day and month", false
	case over(2):
		return "{column: " + scalar(c.name) + ", as: mdy}", "", true
	case over(1):
		return "{column: " + scalar(c.name) + ", as: dmy}", "", true
	}
	return "{column: " + scalar(c.name) + ", as: dmy}", fmt.Sprintf("no date shows whether the day or the month comes first; for example %s. Use mdy if it is the month", shown(c.sortedValues()[0])), true
}
