-- vouchgraph: outside a transaction
-- Finds the verification session of a secret: it is checked before any request is served with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "verification_sessions_project_id_secret_hash_idx" ON "verification_sessions" ("project_id", "secret_hash");
-- What is left to encrypt: empty once that is done.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "list_members_plain_reason" ON "list_members" ("project_id") WHERE "reason" <> '';
CREATE INDEX CONCURRENTLY IF NOT EXISTS "verification_sessions_plain_redirect_url" ON "verification_sessions" ("project_id") WHERE "redirect_url" <> '';
