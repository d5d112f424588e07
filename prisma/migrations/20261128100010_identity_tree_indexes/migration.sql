-- vouchgraph: outside a transaction
create index concurrently if not exists "identity_members_project_id_parent_id_idx" on "identity_members" ("project_id", "parent_id");
create index concurrently if not exists "identity_members_unplaced" on "identity_members" ("project_id", "group_id") where "parent_id" is null;
