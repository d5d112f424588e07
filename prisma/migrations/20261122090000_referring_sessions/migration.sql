-- vouchgraph: outside a transaction
-- Checks of accounts that still refer to a session, by their completion.
create index concurrently if not exists verification_sessions_bound_referring
  on verification_sessions (project_id, completed_at)
  where state = 'completed' and bound_account_id is not null and referring_session_id is not null;
