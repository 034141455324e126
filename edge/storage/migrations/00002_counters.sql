-- +goose Up

-- Requests of a subject ("ip:…", "acc:…") in a window of time. Those that are over
-- are dropped by their end, which is why the key begins with it.
CREATE TABLE counters (
    ends    BIGINT NOT NULL, -- Unix time in ms
    lasts   BIGINT NOT NULL, -- ms; windows of different lengths may end together
    subject TEXT   NOT NULL,
    used    BIGINT NOT NULL,
    PRIMARY KEY (ends, lasts, subject)
);
