-- +goose Up
CREATE TABLE submissions (
	id TEXT PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	status TEXT NOT NULL, -- pending, in-review, accepted, published, rejected
	type TEXT NOT NULL,
	slug TEXT NOT NULL,
	name TEXT NOT NULL,
	url TEXT NOT NULL,
	identity TEXT NOT NULL, -- of name and url, as submit.Identity
	yaml TEXT NOT NULL,
	reason TEXT NOT NULL,
	branch TEXT NOT NULL,
	commit_hash TEXT NOT NULL,
	pull_request BIGINT NOT NULL, -- 0 for none
	pull_request_url TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);

-- Of two that want to become the same entity, one is taken in.
CREATE UNIQUE INDEX submissions_open_slug ON submissions (type, slug) WHERE status IN ('pending', 'in-review', 'accepted');
CREATE UNIQUE INDEX submissions_open_identity ON submissions (identity) WHERE status IN ('pending', 'in-review', 'accepted');

CREATE INDEX submissions_by_account ON submissions (account_id, created_at, id);
CREATE INDEX submissions_by_status ON submissions (status, created_at, id);
