-- Time until which a handover can be used; null once another device has used it.
alter table verification_sessions add column handover_expires_at timestamptz(3);
