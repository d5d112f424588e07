-- Rows of another version are stale, and the versions start at 1. Writers always set the version.
alter table accounts alter column match_key_version drop default;
alter table accounts rename column holds_earlier_keys to holds_stale_keys;
alter table face_templates alter column pipeline_version drop default;
drop index accounts_match_keys_before_6;
create index accounts_stale_match_keys_1 on accounts (project_id, id) where match_key_version <> 1;
alter index accounts_earlier_keys rename to accounts_holding_stale_keys;
drop index face_templates_to_recompute_2;
create index face_templates_stale_1 on face_templates (project_id, template_id)
  where pipeline_version <> 1 and unreadable_version <> 1;
