-- vouchgraph: outside a transaction
-- The first and the last check of an address, without reading those in between. It serves erasure as well.
create index concurrently if not exists email_checks_of_address
  on email_checks (project_id, address_hash, created_at);
drop index concurrently if exists email_checks_project_id_address_hash_idx;
