-- vouchgraph: outside a transaction
-- Deliveries that wait, of each endpoint first attempts and retries apart, in the order in which they are due.
create index concurrently if not exists webhook_deliveries_queue
  on webhook_deliveries (project_id, endpoint_id, is_retry, next_attempt_at, delivery_id) where state = 'waiting';
-- First attempts in the order of their account.
create index concurrently if not exists webhook_deliveries_order
  on webhook_deliveries (project_id, endpoint_id, account_id, position) where is_ordered;
drop index concurrently if exists webhook_deliveries_waiting;
