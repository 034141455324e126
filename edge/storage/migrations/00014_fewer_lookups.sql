-- +goose Up

-- A sign-in under way is in a cookie of the browser.
DROP TABLE signin_attempts;

-- Keys are looked up by their whole hash: nobody can derive a key from how long that takes.
DROP INDEX api_keys_by_hash;
ALTER TABLE api_keys DROP COLUMN hash_prefix;

-- When a session ends follows from when it was opened and last used.
DROP INDEX sessions_by_end;
ALTER TABLE sessions DROP COLUMN expires_at;
