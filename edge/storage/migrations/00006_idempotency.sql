-- +goose Up

-- Answers to writes that were sent with an Idempotency-Key. An answer that held a
-- secret is not kept: secret_id names what holds it.
CREATE TABLE idempotency (
    account_id TEXT NOT NULL,
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,
    key        TEXT NOT NULL,
    body_hash  TEXT NOT NULL,
    status     BIGINT NOT NULL,
    location   TEXT NOT NULL,
    answer     TEXT NOT NULL,
    secret_id  TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, method, path, key)
);

CREATE INDEX idempotency_created ON idempotency (created_at);
