-- vouchgraph: outside a transaction
-- Accounts whose match keys are of rules before version 6. The index of version 5 serves gateways that are stopped before an upgrade.
create index concurrently if not exists accounts_match_keys_before_6
  on accounts (project_id, id) where match_key_version < 6;
drop index concurrently if exists accounts_match_keys_before_5;
