-- vouchgraph: outside a transaction
-- Reviewed verifications, the newest first. Most are never reviewed.
create index concurrently if not exists verification_sessions_reviewed
  on verification_sessions (project_id, review, created_at desc, session_id desc) where review <> '';
