-- vouchgraph: outside a transaction
drop index concurrently if exists list_members_plain_reason;
drop index concurrently if exists verification_sessions_plain_redirect_url;
alter table list_members drop column if exists reason;
alter table verification_sessions drop column if exists redirect_url;
alter table idempotency_keys alter column request_id set not null;
alter table sessions alter column signals set not null;
alter table sessions alter column trace set not null;
drop index concurrently if exists sessions_signals;
-- One index for all risk signals: sessions with equal signals are a range in the order of the pages, and a search merges the
-- ranges that have its signal. Most sessions raise none, and are not in it.
create index concurrently if not exists sessions_signals
  on sessions (project_id, signals, start_time desc, session_id desc) where signals <> 0;
