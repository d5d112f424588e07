-- vouchgraph: outside a transaction
-- Accounts whose match keys are of rules before version 3. The index of version 2 stays for gateways of that version that
-- still run; it is empty.
create index concurrently if not exists accounts_match_keys_before_3
  on accounts (project_id, id) where match_key_version < 3;
