-- Partitions are made and dropped under a lock that nobody else may hold meanwhile, and whoever comes behind one who waits for
-- it waits too: writers behind a backup, for as long as it reads. So it is waited for shortly, and tried again another time.

-- Drops one daily partition that ended before a moment, the oldest; 0 when there is none, or it is being read. One at a time, so
-- that the lock of the whole table is not held while the next is waited for.
CREATE OR REPLACE FUNCTION vouchgraph_drop_outbox(before timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('vouchgraph_prepare_outbox'));
    SELECT c.relname INTO part
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'outbox_events'::regclass AND c.relname ~ '^outbox_events_[0-9]{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= (before AT TIME ZONE 'UTC')::date
    ORDER BY c.relname LIMIT 1;
    IF part IS NULL THEN
        RETURN 0;
    END IF;
    EXECUTE format('DROP TABLE %I', part);
    RETURN 1;
EXCEPTION WHEN lock_not_available THEN
    RETURN 0;
END
$$;

-- Makes the daily partitions for the days to come. What has none is written to the default partition.
CREATE OR REPLACE FUNCTION vouchgraph_prepare_outbox(days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
    day date;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('vouchgraph_prepare_outbox'));
    FOR day IN SELECT d::date FROM generate_series(now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC' + make_interval(days => days), interval '1 day') AS d LOOP
        part := 'outbox_events_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        BEGIN
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF outbox_events FOR VALUES FROM (%L) TO (%L)',
                part, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
            EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
            EXECUTE format(
                'CREATE POLICY one_project ON %I TO vouchgraph_app
                    USING (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))
                    WITH CHECK (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))', part);
            EXECUTE format('CREATE POLICY every_project ON %I TO vouchgraph_system USING (true) WITH CHECK (true)', part);
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO vouchgraph_app, vouchgraph_system', part);
        EXCEPTION WHEN check_violation THEN
            -- The default partition already holds rows of that day: they stay there.
            NULL;
        END;
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    -- Nothing is made: another time.
    NULL;
END
$$;
