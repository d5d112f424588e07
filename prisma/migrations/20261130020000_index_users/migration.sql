-- vouchgraph: outside a transaction
-- Accounts whose match keys are of rules before version 5. The gateways of earlier versions, which the indexes of versions 2 to 4 serve,
-- are stopped before an upgrade of match keys.
create index concurrently if not exists accounts_match_keys_before_5
  on accounts (project_id, id) where match_key_version < 5;
drop index concurrently if exists accounts_match_keys_before_2;
drop index concurrently if exists accounts_match_keys_before_3;
drop index concurrently if exists accounts_match_keys_before_4;
-- The group that a merged group went into, by the id of the merged group.
create index concurrently if not exists identity_changes_merged
  on identity_changes (project_id, other_group_id, at desc, change_id desc) where action = 'merged';
