-- The order in which rows were inserted. Changes of one account follow each other, so that the later has the higher number;
-- positions, which cursors are made of, are stamped in this order once rows are committed.
ALTER TABLE "outbox_events" ADD COLUMN "seq" BIGSERIAL NOT NULL;
GRANT USAGE ON SEQUENCE "outbox_events_seq_seq" TO vouchgraph_app, vouchgraph_system;
CREATE INDEX "outbox_events_unstamped" ON "outbox_events" ("seq") WHERE "position" IS NULL;

-- An event is erased with every account and session that it names.
ALTER TABLE "outbox_events" ADD COLUMN "other_account_id" UUID;
CREATE INDEX "outbox_events_other_account" ON "outbox_events" ("project_id", "other_account_id") WHERE "other_account_id" IS NOT NULL;
CREATE INDEX "outbox_events_session" ON "outbox_events" ("project_id", "session_id") WHERE "session_id" IS NOT NULL;

-- How far the events of a project are numbered, and through which position they are gone for their age.
CREATE TABLE "outbox_positions" (
    "project_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "purged_through" BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT "outbox_positions_pkey" PRIMARY KEY ("project_id")
);

-- Who is told of events over HTTP.
CREATE TABLE "webhook_endpoints" (
    "project_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "event_types" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "signature_format" TEXT NOT NULL DEFAULT 'standard',
    "secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_secret_until" TIMESTAMPTZ(3),
    "rate_per_minute" INTEGER,
    "state" TEXT NOT NULL DEFAULT 'enabled',
    "disabled_reason" TEXT NOT NULL DEFAULT '',
    "position" BIGINT NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("project_id", "endpoint_id")
);

-- One event for one endpoint. The body is made of the event each time, and is the same each time.
CREATE TABLE "webhook_deliveries" (
    "project_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "event_created_at" TIMESTAMPTZ(3) NOT NULL,
    "event_type" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "account_id" UUID,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("project_id", "delivery_id")
);
CREATE INDEX "webhook_deliveries_project_id_endpoint_id_delivery_id_idx" ON "webhook_deliveries" ("project_id", "endpoint_id", "delivery_id" DESC);
CREATE INDEX "webhook_deliveries_project_id_account_id_idx" ON "webhook_deliveries" ("project_id", "account_id");
CREATE INDEX "webhook_deliveries_project_id_event_id_idx" ON "webhook_deliveries" ("project_id", "event_id");
CREATE TABLE "webhook_attempts" (
    "project_id" UUID NOT NULL,
    "attempt_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" INTEGER,
    "duration_ms" INTEGER NOT NULL,
    "error" TEXT NOT NULL DEFAULT '',
    "answer" BYTEA,
    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("project_id", "attempt_id")
);
CREATE INDEX "webhook_attempts_project_id_delivery_id_attempt_id_idx" ON "webhook_attempts" ("project_id", "delivery_id", "attempt_id" DESC);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['outbox_positions', 'webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY one_project ON %I TO vouchgraph_app
                USING (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))
                WITH CHECK (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))', name);
        EXECUTE format('CREATE POLICY every_project ON %I TO vouchgraph_system USING (true) WITH CHECK (true)', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO vouchgraph_app, vouchgraph_system', name);
    END LOOP;
END
$$;

-- Drops the daily partitions that ended before a moment; what the default partition holds is deleted by the caller.
CREATE FUNCTION vouchgraph_drop_outbox(before timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    part record;
    dropped integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('vouchgraph_prepare_outbox'));
    FOR part IN
        SELECT c.relname AS name, substring(c.relname FROM '([0-9]{8})$') AS day
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'outbox_events'::regclass AND c.relname ~ '^outbox_events_[0-9]{8}$'
    LOOP
        CONTINUE WHEN to_date(part.day, 'YYYYMMDD') + 1 > (before AT TIME ZONE 'UTC')::date;
        EXECUTE format('DROP TABLE %I', part.name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$$;
REVOKE ALL ON FUNCTION vouchgraph_drop_outbox(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION vouchgraph_drop_outbox(timestamptz) TO vouchgraph_system;
