-- The indexes list_members_plain_reason and verification_sessions_plain_redirect_url are dropped with the columns.
alter table list_members drop column reason;
alter table verification_sessions drop column redirect_url;
alter table idempotency_keys alter column request_id set not null;
alter table sessions alter column signals set not null;
alter table sessions alter column trace set not null;
