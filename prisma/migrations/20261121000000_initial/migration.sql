-- Tables. Each leads with project_id in its primary key and in every index, so that it shards by project.

CREATE TABLE "projects" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "environment" TEXT NOT NULL CHECK ("environment" IN ('sandbox', 'production')),
    "settings" JSONB NOT NULL DEFAULT '{}',
    "sealed_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "projects_pkey" PRIMARY KEY ("project_id")
);

CREATE TABLE "api_keys" (
    "project_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "label" TEXT NOT NULL DEFAULT '',
    "role" TEXT NOT NULL CHECK ("role" IN ('read', 'server', 'operator')),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("project_id", "key_id")
);

CREATE TABLE "accounts" (
    "project_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "account_group" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "personal" BYTEA NOT NULL,
    "expected_countries" TEXT[],
    "first_seen" TIMESTAMPTZ(3),
    "last_seen" TIMESTAMPTZ(3),
    "last_session" UUID,
    "country" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "countries" TEXT[],
    "num_sessions" INTEGER NOT NULL DEFAULT 0,
    "unique_devices_1d" INTEGER NOT NULL DEFAULT 0,
    "unique_devices_7d" INTEGER NOT NULL DEFAULT 0,
    "unique_networks_1d" INTEGER NOT NULL DEFAULT 0,
    "unique_networks_7d" INTEGER NOT NULL DEFAULT 0,
    "aggregates" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "accounts_pkey" PRIMARY KEY ("project_id", "id")
);

CREATE TABLE "sessions" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "state" TEXT NOT NULL CHECK ("state" IN ('open', 'complete')),
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "source" TEXT NOT NULL,
    "source_version" TEXT NOT NULL DEFAULT '',
    "start_time" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "true_country_code" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "connection_type" TEXT NOT NULL DEFAULT '',
    "device_id" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "browser_hash" BYTEA,
    "device_hash" BYTEA,
    "network_hash" BYTEA,
    "neighbourhood_hash" BYTEA,
    "facts" BYTEA NOT NULL,
    "result" BYTEA NOT NULL,
    CONSTRAINT "sessions_pkey" PRIMARY KEY ("project_id", "session_id")
);

CREATE TABLE "account_sessions" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "session_start" TIMESTAMPTZ(3) NOT NULL,
    "bound_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "request_id" UUID NOT NULL,
    "country" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "scores" DOUBLE PRECISION[],
    "account_score" DOUBLE PRECISION NOT NULL,
    "decision" TEXT NOT NULL,
    "versions" JSONB NOT NULL DEFAULT '{}',
    CONSTRAINT "account_sessions_pkey" PRIMARY KEY ("project_id", "account_id", "session_id")
);

CREATE TABLE "identifiers" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" SMALLINT NOT NULL,
    "value_hash" BYTEA NOT NULL,
    "account_group" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "first_seen" TIMESTAMPTZ(3) NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "identifiers_pkey" PRIMARY KEY ("project_id", "account_id", "kind", "value_hash")
);

CREATE TABLE "links" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "linked_account_id" UUID NOT NULL,
    "score" DOUBLE PRECISION NOT NULL,
    "kinds" INTEGER NOT NULL,
    "first_seen" TIMESTAMPTZ(3) NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "links_pkey" PRIMARY KEY ("project_id", "account_id", "linked_account_id"),
    CONSTRAINT "links_not_self" CHECK ("account_id" <> "linked_account_id")
);

CREATE TABLE "lists" (
    "project_id" UUID NOT NULL,
    "list_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "effect" TEXT NOT NULL DEFAULT 'none' CHECK ("effect" IN ('none', 'block', 'allow')),
    "standard" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "lists_pkey" PRIMARY KEY ("project_id", "list_id")
);

CREATE TABLE "list_members" (
    "project_id" UUID NOT NULL,
    "list_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "actor" TEXT NOT NULL DEFAULT '',
    "source" TEXT NOT NULL DEFAULT 'api',
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    CONSTRAINT "list_members_pkey" PRIMARY KEY ("project_id", "list_id", "account_id"),
    CONSTRAINT "list_members_project_id_list_id_fkey" FOREIGN KEY ("project_id", "list_id")
        REFERENCES "lists" ("project_id", "list_id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Partitioned by day, so that retention drops partitions instead of deleting rows. Rows that no daily
-- partition takes (a gateway that was down while the day changed) fall into the default one.
CREATE TABLE "outbox_events" (
    "project_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event_id" UUID NOT NULL,
    "position" BIGINT,
    "type" TEXT NOT NULL,
    "account_id" UUID,
    "session_id" UUID,
    "request_id" UUID,
    "payload" BYTEA NOT NULL,
    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("project_id", "created_at", "event_id")
) PARTITION BY RANGE ("created_at");
CREATE TABLE "outbox_events_default" PARTITION OF "outbox_events" DEFAULT;

CREATE TABLE "audit_log" (
    "project_id" UUID NOT NULL,
    "audit_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "request_id" UUID,
    "before" JSONB,
    "after" JSONB,
    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("project_id", "audit_id")
);

CREATE TABLE "idempotency_keys" (
    "project_id" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "state" TEXT NOT NULL CHECK ("state" IN ('running', 'done')),
    "status" INTEGER,
    "body" BYTEA,
    "content_type" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "locked_until" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("project_id", "key_hash")
);

-- Indexes.

CREATE UNIQUE INDEX "api_keys_project_id_hash_key" ON "api_keys" ("project_id", "hash");
CREATE UNIQUE INDEX "accounts_project_id_account_id_key" ON "accounts" ("project_id", "account_id");
CREATE INDEX "accounts_project_id_last_seen_id_idx" ON "accounts" ("project_id", "last_seen" DESC, "id" DESC);
CREATE INDEX "accounts_project_id_created_at_id_idx" ON "accounts" ("project_id", "created_at" DESC, "id" DESC);
CREATE INDEX "accounts_project_id_num_sessions_id_idx" ON "accounts" ("project_id", "num_sessions" DESC, "id" DESC);
CREATE INDEX "sessions_project_id_start_time_session_id_idx" ON "sessions" ("project_id", "start_time" DESC, "session_id" DESC);
CREATE INDEX "account_sessions_project_id_session_id_account_id_idx" ON "account_sessions" ("project_id", "session_id", "account_id");
CREATE INDEX "account_sessions_project_id_account_id_session_start_sessio_idx" ON "account_sessions" ("project_id", "account_id", "session_start" DESC, "session_id" DESC);
CREATE INDEX "identifiers_project_id_kind_value_hash_account_group_accoun_idx" ON "identifiers" ("project_id", "kind", "value_hash", "account_group", "account_id" DESC);
CREATE INDEX "links_project_id_account_id_score_linked_account_id_idx" ON "links" ("project_id", "account_id", "score" DESC, "linked_account_id" DESC);
CREATE UNIQUE INDEX "lists_project_id_name_key" ON "lists" ("project_id", "name");
CREATE INDEX "list_members_project_id_account_id_list_id_idx" ON "list_members" ("project_id", "account_id", "list_id");
CREATE INDEX "list_members_project_id_list_id_added_at_account_id_idx" ON "list_members" ("project_id", "list_id", "added_at" DESC, "account_id" DESC);
CREATE INDEX "outbox_events_project_id_position_idx" ON "outbox_events" ("project_id", "position");
CREATE INDEX "outbox_events_project_id_account_id_idx" ON "outbox_events" ("project_id", "account_id");
CREATE INDEX "audit_log_project_id_at_audit_id_idx" ON "audit_log" ("project_id", "at" DESC, "audit_id" DESC);
CREATE INDEX "idempotency_keys_project_id_expires_at_idx" ON "idempotency_keys" ("project_id", "expires_at");

-- Row-level security, the second line behind the project_id predicate of every statement.
-- vouchgraph_app sees the rows of the project in app.project, and nothing when it is not set.
-- vouchgraph_system (relay, jobs, command line) sees all. Neither owns a table; FORCE binds the owner too.

DO $$
BEGIN
    BEGIN
        CREATE ROLE vouchgraph_app NOLOGIN NOBYPASSRLS;
    EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
    END;
    BEGIN
        CREATE ROLE vouchgraph_system NOLOGIN NOBYPASSRLS;
    EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
    END;
    -- The owner may become either role, but has neither's rights by itself: FORCE then binds it too (PostgreSQL 16 and
    -- later; 15 knows no grant without inheritance). Without the right to grant, the roles must have been granted
    -- before; the start-up check tells.
    BEGIN
        EXECUTE format('GRANT vouchgraph_app, vouchgraph_system TO %I', current_user) ||
            CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN ' WITH INHERIT FALSE, SET TRUE' ELSE '' END;
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO vouchgraph_app, vouchgraph_system', current_schema());
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'projects', 'api_keys', 'accounts', 'sessions', 'account_sessions', 'identifiers', 'links', 'lists',
        'list_members', 'outbox_events', 'outbox_events_default', 'audit_log', 'idempotency_keys'
    ] LOOP
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

-- A project is created and removed by the system only; its audit log is append-only for everyone but it.
REVOKE INSERT, DELETE ON "projects" FROM vouchgraph_app;
REVOKE UPDATE, DELETE ON "audit_log" FROM vouchgraph_app;

-- Makes the daily partitions from today for the given number of days; safe to repeat and to run in parallel.
CREATE FUNCTION vouchgraph_prepare_outbox(days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
END
$$;
REVOKE ALL ON FUNCTION vouchgraph_prepare_outbox(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION vouchgraph_prepare_outbox(integer) TO vouchgraph_system;
SELECT vouchgraph_prepare_outbox(7);
