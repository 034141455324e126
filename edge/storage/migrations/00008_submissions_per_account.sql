-- +goose Up

-- Several accounts may propose the same entity; one account proposes it once at a time.
DROP INDEX submissions_open_slug;
DROP INDEX submissions_open_identity;
CREATE UNIQUE INDEX submissions_own_slug ON submissions (account_id, type, slug) WHERE status IN ('pending', 'in-review', 'accepted');
CREATE UNIQUE INDEX submissions_own_identity ON submissions (account_id, identity) WHERE status IN ('pending', 'in-review', 'accepted');
CREATE INDEX submissions_open_slug ON submissions (type, slug) WHERE status IN ('pending', 'in-review', 'accepted');
CREATE INDEX submissions_open_identity ON submissions (identity) WHERE status IN ('pending', 'in-review', 'accepted');

-- 1 while the pull request of a withdrawn submission has yet to be closed.
ALTER TABLE submissions ADD COLUMN to_close BIGINT NOT NULL DEFAULT 0;
CREATE INDEX submissions_to_close ON submissions (created_at, id) WHERE to_close = 1;

-- The network that a sign-in was started from, so that one network fills only its
-- own share of the table: a /48 of IPv6 or a /24 of IPv4.
ALTER TABLE signin_attempts ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX signin_attempts_by_network ON signin_attempts (network, expires_at);

-- Answers are bounded by account.
CREATE INDEX idempotency_by_account ON idempotency (account_id, created_at);
