-- vouchgraph: outside a transaction
-- Each condition of a search finds its rows in the order of the pages. Expressions are made of what row-level security lets
-- an index evaluate: comparisons and CASE, neither COALESCE nor arithmetic.
create index concurrently if not exists sessions_address
  on sessions (project_id, (case when address_hash is null then network_hash else address_hash end), start_time desc, session_id desc);
create index concurrently if not exists sessions_subnet
  on sessions (project_id, (case when subnet_hash is null then neighbourhood_hash else subnet_hash end), start_time desc, session_id desc);
create index concurrently if not exists sessions_device
  on sessions (project_id, device_id, start_time desc, session_id desc) where device_id <> '';
create index concurrently if not exists sessions_browser
  on sessions (project_id, browser_hash, start_time desc, session_id desc) where browser_hash is not null;
create index concurrently if not exists sessions_country
  on sessions (project_id, true_country_code, start_time desc, session_id desc);
create index concurrently if not exists sessions_connection
  on sessions (project_id, connection_type, start_time desc, session_id desc);
create index concurrently if not exists sessions_source
  on sessions (project_id, source, start_time desc, session_id desc);
-- One index for all risk signals: sessions with equal signals are a range in the order of the pages, and a search merges the
-- ranges that have its signal. Most sessions raise none, and are not in it. It also finds those that are left to complete.
create index concurrently if not exists sessions_signals
  on sessions (project_id, signals, start_time desc, session_id desc) where signals is null or signals <> 0;
create index concurrently if not exists account_sessions_decision
  on account_sessions (project_id, decision, session_start desc, session_id desc);
-- With the tenth that the score lies in: decisions from a score on are those of some tenths, each in the order of the pages.
create index concurrently if not exists decisions_outcome
  on decisions (project_id, decision, (case
    when account_score >= 0.9 then 9 when account_score >= 0.8 then 8 when account_score >= 0.7 then 7
    when account_score >= 0.6 then 6 when account_score >= 0.5 then 5 when account_score >= 0.4 then 4
    when account_score >= 0.3 then 3 when account_score >= 0.2 then 2 when account_score >= 0.1 then 1 else 0 end),
    decision_id desc);
create index concurrently if not exists rule_matches_account
  on rule_matches (project_id, account_id, match_id desc);
create index concurrently if not exists rule_matches_shadow
  on rule_matches (project_id, shadow, match_id desc);
create index concurrently if not exists webhook_deliveries_type
  on webhook_deliveries (project_id, event_type, delivery_id desc);
create index concurrently if not exists webhook_deliveries_undelivered
  on webhook_deliveries (project_id, state, delivery_id desc) where state <> 'delivered';
