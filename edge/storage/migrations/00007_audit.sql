-- +goose Up

-- What a key may do: names of scopes separated by spaces. Null: the key is older than
-- scopes and keeps every one of them.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT; -- null: never

-- The number of the newest entry in the audit log of the account. Raising it locks the
-- row, so that entries are numbered in the order of their commits.
ALTER TABLE accounts ADD COLUMN audited BIGINT NOT NULL DEFAULT 0;

-- What was done with an account. Bounded per action, so that many entries of one kind
-- cannot push out those of another.
CREATE TABLE audit_log (
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    seq        BIGINT NOT NULL,
    at         BIGINT NOT NULL, -- Unix time in ms
    action     TEXT   NOT NULL,
    actor      TEXT   NOT NULL, -- key, session, operator, service, anyone
    actor_id   TEXT   NOT NULL, -- of a key, else ''
    actor_name TEXT   NOT NULL, -- of a key, at that time, else ''
    address    TEXT   NOT NULL, -- '' where the request came from no network
    target     TEXT   NOT NULL, -- the id of what was changed; '' for the account itself
    detail     TEXT   NOT NULL,
    PRIMARY KEY (account_id, seq)
);
CREATE INDEX audit_log_by_action ON audit_log (account_id, action, seq);
CREATE INDEX audit_log_by_time ON audit_log (at);
