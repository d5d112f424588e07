-- vouchgraph: outside a transaction
drop index concurrently if exists sessions_signals;
-- One index for all risk signals: sessions with equal signals are a range in the order of the pages, and a search merges the
-- ranges that have its signal. Most sessions raise none, and are not in it.
create index concurrently if not exists sessions_signals
  on sessions (project_id, signals, start_time desc, session_id desc) where signals <> 0;
