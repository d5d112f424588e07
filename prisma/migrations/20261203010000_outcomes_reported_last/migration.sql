-- vouchgraph: outside a transaction
-- The outcome of an account that was reported last is its label, whatever its time.
create index concurrently if not exists account_outcomes_last_of_account
  on account_outcomes (project_id, account_id, outcome_id desc);
drop index concurrently if exists account_outcomes_of_account;
