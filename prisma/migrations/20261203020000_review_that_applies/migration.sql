-- The review that applies, so that verifications are found by it: approved or rejected; '' for none.
alter table verification_sessions add column review text not null default '';
