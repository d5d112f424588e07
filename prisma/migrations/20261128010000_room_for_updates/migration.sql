-- A row that is updated in its own page enters none of its table's indexes anew (heap-only tuples). Every authentication
-- completes its session and changes no indexed column of it: pages keep room for one more row of about 1 kB.
-- Rows that are already stored move to such pages as they are updated.
alter table sessions set (fillfactor = 85);
