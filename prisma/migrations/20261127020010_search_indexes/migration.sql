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
-- One index for each risk signal, in the order of RISK_SCORE_KEYS: most sessions are in none of them.
create index concurrently if not exists sessions_signal_device_risk
  on sessions (project_id, start_time desc, session_id desc) where signals & 1 <> 0;
create index concurrently if not exists sessions_signal_proxy
  on sessions (project_id, start_time desc, session_id desc) where signals & 2 <> 0;
create index concurrently if not exists sessions_signal_vpn
  on sessions (project_id, start_time desc, session_id desc) where signals & 4 <> 0;
create index concurrently if not exists sessions_signal_tor
  on sessions (project_id, start_time desc, session_id desc) where signals & 8 <> 0;
create index concurrently if not exists sessions_signal_spoofed_ip
  on sessions (project_id, start_time desc, session_id desc) where signals & 16 <> 0;
create index concurrently if not exists sessions_signal_datacenter
  on sessions (project_id, start_time desc, session_id desc) where signals & 32 <> 0;
create index concurrently if not exists sessions_signal_recent_fraud_ip
  on sessions (project_id, start_time desc, session_id desc) where signals & 64 <> 0;
create index concurrently if not exists sessions_signal_impossible_travel
  on sessions (project_id, start_time desc, session_id desc) where signals & 128 <> 0;
create index concurrently if not exists sessions_signal_device_network_mismatch
  on sessions (project_id, start_time desc, session_id desc) where signals & 256 <> 0;
create index concurrently if not exists sessions_signal_location_spoofing
  on sessions (project_id, start_time desc, session_id desc) where signals & 512 <> 0;
-- What is left to complete: empty once that is done.
create index concurrently if not exists sessions_without_signals
  on sessions (project_id, session_id) where signals is null;
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
