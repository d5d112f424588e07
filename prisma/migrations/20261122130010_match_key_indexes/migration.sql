-- vouchgraph: outside a transaction
-- Accounts whose match keys are left to rewrite, and those that hold earlier keys besides: empty once that is done.
create index concurrently if not exists accounts_match_keys_before_2
  on accounts (project_id, id) where match_key_version < 2;
create index concurrently if not exists accounts_earlier_keys
  on accounts (project_id, id) where holds_earlier_keys;
