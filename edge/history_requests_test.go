package edge_test

import "slices"

// days returns requests with invalid values of the "at" parameter: strings that are not days, and
// days that the build does not cover.
func days(op, path string) []request {
	return slices.Concat(
		bad(op, path, "at", "2026-02-30", "2026-10", "yesterday", "", "2026-10-25T00:00:00Z"),
		beyond(op, path, "at", "2026-11-02", "9999-12-31", "2026-10-25&at=2026-10-25"),
		status(404, op, "at", path+"?at=2026-08-02", path+"?at=1970-01-01"),
	)
}

// moments returns requests with valid and invalid values of a parameter that identifies a point in
// the history.
func moments(op, path, param string) []request {
	return slices.Concat(
		ok(op, path+"?"+param+"=", "2026-10-10", "2026-10-10T12:00:00Z", "2026-10-10T14:00:00%2B02:00", "1970-01-01", "9999-12-31"),
		bad(op, path, param, "", "2026-02-30", "2026-10", "now", "2026-10-10T12:00", "0123456789ABCDEF01234567", "0123"),
		beyond(op, path, param, "0123456789abcdef01234567", "2026-10-10&"+param+"=2026-10-11"),
	)
}

// history returns the requests for changes.
func history() []request {
	return slices.Concat(
		ok("listChanges", "/api/changelog", "", "?event=entity.deleted", "?event=entity.created&event=entity.deleted&type=tool", "?field=slug",
			"?field=signals&field=version", "?category=ml-frameworks&category=nlp&limit=3", "?since=2026-09-01&until=2026-10-20"),
		pages("listChanges", "/api/changelog", "?"),
		moments("listChanges", "/api/changelog", "since"),
		moments("listChanges", "/api/changelog", "until"),
		ok("listChanges", "/api/changelog?figures=", "false", "true", "false&type=tool&limit=2"),
		bad("listChanges", "/api/changelog", "figures", "False", "", "0", "no"),
		ok("getChangesOfMonth", "/api/changelog/", "2026-11", "2026-10"),
		status(404, "getChangesOfMonth", "month", "/api/changelog/1970-01", "/api/changelog/2026-12", "/api/changelog/2026-1", "/api/changelog/last"),
		bad("listChanges", "/api/changelog", "event", "created", "", "entity.created,entity.deleted"),
		bad("listChanges", "/api/changelog", "type", "robot", "", "tool,model"),
		bad("listChanges", "/api/changelog", "field", "stars", "", "signals.star", "name,version", "signals."),
		bad("listChanges", "/api/changelog", "category", "", "No", "nlp,speech"),
		beyond("listChanges", "/api/changelog", "category", "no-such-category"),

		ok("listEntityChanges", "/api/entity/tool/", "pytorch/changelog", "incubator-mxnet/changelog", "phoenix/changelog", "short-lived/changelog"),
		pages("listEntityChanges", "/api/entity/tool/pytorch/changelog", "?"),
		status(301, "listEntityChanges", "", "/api/entity/tool/mxnet/changelog?limit=1"),
		status(404, "listEntityChanges", "slug", "/api/entity/tool/nothing-like-it/changelog"),
		status(404, "listEntityChanges", "type", "/api/entity/robot/pytorch/changelog"),

		ok("listEntitySignals", "/api/entity/tool/", "pytorch/signals", "pytorch/signals?name=stars", "incubator-mxnet/signals?name=stars&name=lastRelease",
			"phoenix/signals?name=stars", "short-lived/signals", "pytorch/signals?limit=1000"),
		ok("listEntitySignals", "/api/entity/tool/pytorch/signals?limit=", "1", "1&offset=2", "2&offset=2147483647"),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "limit", "0", "1001", "x", ""),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "cursor", "", "a%20b"),
		beyond("listEntitySignals", "/api/entity/tool/pytorch/signals", "cursor", "AAAA"),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "offset", "-1", "x"),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "name", "star", "", "stars,forks", "benchmarks"),
		status(301, "listEntitySignals", "", "/api/entity/tool/mxnet/signals?name=stars"),
		status(404, "listEntitySignals", "slug", "/api/entity/tool/nothing-like-it/signals"),
		status(404, "listEntitySignals", "type", "/api/entity/robot/pytorch/signals"),

		ok("getFeed", "/api/feed", "", "?format=atom", "?format=json", "?type=model&format=json", "?category=nlp", "?entity=tool/pytorch&format=json",
			"?entity=tool/mxnet", "?entity=tool%2Fshort-lived", "?page=2&format=json", "?category=nlp&category=speech-to-text&type=tool&type=model"),
		ok("getFeed", "/api/feed?figures=", "false", "false&format=json&type=tool", "true&page=2"),
		bad("getFeed", "/api/feed", "figures", "False", "", "0", "no"),
		bad("getFeed", "/api/feed", "format", "xml", "", "RSS"),
		bad("getFeed", "/api/feed", "type", "robot", ""),
		bad("getFeed", "/api/feed", "category", "", "No"),
		beyond("getFeed", "/api/feed", "category", "no-such-category"),
		bad("getFeed", "/api/feed", "entity", "", "pytorch", "tool/", "robot/pytorch", "tool/Py", "tool/a/b"),
		beyond("getFeed", "/api/feed", "entity", "tool/nothing-like-it", "model/pytorch", "tool/pytorch&entity=tool/keras"),
		bad("getFeed", "/api/feed", "page", "0", "-1", "x", ""),
		beyond("getFeed", "/api/feed", "page", "999", "1&page=2"),

		ok("getCalendar", "/api/calendar", "", "?type=tool", "?category=nlp&category=speech-to-text", "?provider=OpenAI", "?entity=tool/pytorch&entity=tool/mxnet",
			"?entity=tool%2Fshort-lived"),
		bad("getCalendar", "/api/calendar", "type", "robot", ""),
		bad("getCalendar", "/api/calendar", "category", "", "No"),
		beyond("getCalendar", "/api/calendar", "category", "no-such-category"),
		bad("getCalendar", "/api/calendar", "provider", ""),
		bad("getCalendar", "/api/calendar", "entity", "", "pytorch", "tool/", "robot/pytorch", "tool/Py", "tool/a/b"),
		beyond("getCalendar", "/api/calendar", "entity", "tool/nothing-like-it", "model/pytorch"),

		ok("listTrending", "/api/trending", "", "?window=30d", "?type=tool&type=model&limit=1", "?category=ml-frameworks", "?type=model&window=7d", "?by=score&limit=2", "?by=stars&window=30d", "?by=downloads&type=tool", "?by=citations"),
		bad("listTrending", "/api/trending", "by", "star", "", "contextTokens", "composite"),
		bad("listTrending", "/api/trending", "window", "1d", "", "7"),
		bad("listTrending", "/api/trending", "type", "robot", ""),
		bad("listTrending", "/api/trending", "category", "", "No"),
		beyond("listTrending", "/api/trending", "category", "no-such-category"),
		bad("listTrending", "/api/trending", "limit", "0", "1001", "x", ""),

		ok("exportChangelog", "/api/export/changelog", "", "?format=csv", "?format=jsonl", "?format=parquet", "?since=2026-10-01", "?type=tool&format=csv",
			"?type=tool&type=model&format=jsonl", "?since=2026-10-20&format=parquet", "?since=2026-10-31"),
		bad("exportChangelog", "/api/export/changelog", "format", "xml", ""),
		moments("exportChangelog", "/api/export/changelog", "since"),
		bad("exportChangelog", "/api/export/changelog", "type", "robot", ""),
	)
}
