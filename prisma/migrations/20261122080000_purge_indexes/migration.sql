-- vouchgraph: outside a transaction
-- What purges select rows by.
create index concurrently if not exists identity_changes_purge
  on identity_changes (project_id, at) where action <> 'merged';
create index concurrently if not exists media_objects_gone
  on media_objects (project_id, object_id) where state = 'gone';
create index concurrently if not exists verification_sessions_referring
  on verification_sessions (project_id, referring_session_id) where referring_session_id is not null;
create index concurrently if not exists verification_sessions_unbound
  on verification_sessions (project_id, completed_at)
  where state = 'completed' and bound_account_id is null and octet_length(secret_hash) > 0;
create index concurrently if not exists verification_sessions_remainder
  on verification_sessions (project_id, completed_at) where octet_length(secret_hash) = 0;
