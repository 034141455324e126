-- +goose Up

-- Browsers that are signed in, by the SHA-256 of the token in their cookie.
CREATE TABLE sessions (
    hash       TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_of_account ON sessions (account_id, created_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Sign-ins under way: what must be remembered until the provider has answered.
CREATE TABLE signin_attempts (
    browser    TEXT   NOT NULL PRIMARY KEY, -- SHA-256 of the token in the browser's cookie
    state      TEXT   NOT NULL,             -- SHA-256 of the parameter "state"
    provider   TEXT   NOT NULL,
    nonce      TEXT   NOT NULL,
    verifier   TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX signin_attempts_by_end ON signin_attempts (expires_at);
