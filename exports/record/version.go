package record

// Version is the authored content of an entity from a point in time on, or its
// deletion. Versions are numbered in chronological order.
type Version struct {
	Type string `json:"type"` // for a deletion, the last one before it, like Slug
	Slug string `json:"slug"`
	// Entity is the content as its author wrote it. It is nil if the version is a deletion, or if an
	// earlier build contains it.
	Entity  *Entity `json:"-"`
	Deleted bool    `json:"deleted,omitempty"`
	Time    int64   `json:"time"`   // Unix seconds, never less than in the preceding version of the list
	Commit  int32   `json:"commit"` // index of the commit, -1 outside git
	// Previous is the previous version of the same entity, which may have a
	// different slug or be a deletion. It is -1 for the first version.
	Previous int32 `json:"previous"`
	Change   int32 `json:"change"` // index of the change, -1 if nothing relevant changed
	// Added and Updated are the dates that the record shows from this version on,
	// as DayNumbers.
	Added   int32 `json:"-"`
	Updated int32 `json:"-"`
}

// ArchivedCommit holds the information that a build stores about a commit.
type ArchivedCommit struct {
	Hash        string `json:"hash"`
	Author      string `json:"author"`
	PullRequest int    `json:"pullRequest"` // 0 if there is none
}
