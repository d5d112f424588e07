-- Part of a counter whose rows were erased: a rebuild adds it to the rows that are left.
alter table project_counters add column removed bigint not null default 0;

-- Decision of a check before it was assessed again.
alter table verification_sessions add column first_decision text;
