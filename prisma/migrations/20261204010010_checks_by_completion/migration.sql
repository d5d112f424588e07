-- vouchgraph: outside a transaction
-- Rebuilds of statistics count checks by their completion.
create index concurrently if not exists verification_sessions_project_id_completed_at_idx
  on verification_sessions (project_id, completed_at);
