-- Number of times the document of a verification session was captured again, and why the last time.
alter table verification_sessions add column document_retakes integer not null default 0;
alter table verification_sessions add column retake_reason text not null default '';
