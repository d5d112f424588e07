-- vouchgraph: outside a transaction
-- Accounts whose match keys are of rules before version 4. The indexes of earlier versions stay for gateways of those
-- versions that still run; they are empty.
create index concurrently if not exists accounts_match_keys_before_4
  on accounts (project_id, id) where match_key_version < 4;
