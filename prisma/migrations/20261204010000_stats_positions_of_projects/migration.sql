-- Number of steps of rebuilds: of two rebuilds that have read the same counters, one changes them.
alter table stats_positions add column rebuild_steps bigint not null default 0;

-- Every project has a position: an erasure or a count that inserted it would make others wait for its transaction.
set local role vouchgraph_system;
insert into stats_positions (project_id) select project_id from projects on conflict (project_id) do nothing;
reset role;
