-- +goose Up

-- Who may ask more than strangers may. Each write that must count what belongs to an
-- account first raises its version: that locks the row.
CREATE TABLE accounts (
    id           TEXT   NOT NULL PRIMARY KEY,
    name         TEXT   NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    suspended_at BIGINT,            -- null: it is not
    quota        BIGINT,            -- requests in a window; null: as many as every account
    quota_window BIGINT,            -- milliseconds; null: a UTC day
    version      BIGINT NOT NULL DEFAULT 0
);

-- Whom a sign-in provider vouches for. The subject is what the provider gives to
-- nobody else ever; the login is what it called them last, for people to read.
CREATE TABLE identities (
    provider   TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    login      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (provider, subject)
);
CREATE INDEX identities_of_account ON identities (account_id);

-- Keys, by the SHA-256 of each in hexadecimal. They are looked up by the first eight
-- digits; the rest is compared in constant time.
CREATE TABLE api_keys (
    id           TEXT   NOT NULL PRIMARY KEY,
    account_id   TEXT   NOT NULL REFERENCES accounts (id),
    name         TEXT   NOT NULL,
    masked       TEXT   NOT NULL,
    hash         TEXT   NOT NULL UNIQUE,
    hash_prefix  TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,            -- null: never
    revoked_at   BIGINT             -- null: it is active
);
CREATE INDEX api_keys_by_hash ON api_keys (hash_prefix);
CREATE INDEX api_keys_of_account ON api_keys (account_id);
