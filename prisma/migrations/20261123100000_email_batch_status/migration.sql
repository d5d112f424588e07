-- vouchgraph: outside a transaction
create index concurrently if not exists "email_batches_project_id_status_batch_id_idx" on "email_batches" ("project_id", "status", "batch_id");
