-- Columns by which sessions are searched. Null signals: a session of an earlier version, which the gateway completes in the
-- background.
alter table sessions
  add column address_hash bytea,
  add column subnet_hash bytea,
  add column signals integer;
