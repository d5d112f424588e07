-- What accounts are ordered and filtered by, apart from their rows. Updates of accounts touch no index any more.
CREATE TABLE "account_standing" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "account_group" TEXT NOT NULL DEFAULT '',
    "account_score" DOUBLE PRECISION NOT NULL,
    "decision" TEXT NOT NULL,
    "country" TEXT NOT NULL DEFAULT '',
    "num_sessions" INTEGER NOT NULL DEFAULT 0,
    "last_seen" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "account_standing_pkey" PRIMARY KEY ("project_id", "account_id")
);

-- Accounts whose standing is due for a recalculation.
CREATE TABLE "standing_flags" (
    "project_id" UUID NOT NULL,
    "flag_id" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    CONSTRAINT "standing_flags_pkey" PRIMARY KEY ("project_id", "flag_id")
);

-- Projects all of whose accounts are due for a recalculation.
CREATE TABLE "standing_recalculations" (
    "project_id" UUID NOT NULL,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "position" UUID NOT NULL,
    "changed_xid" BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "standing_recalculations_pkey" PRIMARY KEY ("project_id")
);

ALTER TABLE "projects" ADD COLUMN "settings_version" INTEGER NOT NULL DEFAULT 0;

GRANT SELECT, INSERT, UPDATE, DELETE ON "account_standing", "standing_flags", "standing_recalculations"
    TO vouchgraph_app, vouchgraph_system;
GRANT USAGE ON SEQUENCE "standing_flags_flag_id_seq" TO vouchgraph_app, vouchgraph_system;

-- Every account is listed from the start, as its latest session left it; the gateways recalculate all of them.
SET LOCAL ROLE vouchgraph_system;
INSERT INTO "account_standing" ("project_id", "account_id", "account_group", "account_score", "decision", "country",
    "num_sessions", "last_seen", "created_at")
SELECT a."project_id", a."id", a."account_group", coalesce(s."account_score", 0), coalesce(s."decision", 'Real'),
    a."country", a."num_sessions", a."last_seen", a."created_at"
FROM "accounts" a LEFT JOIN LATERAL (
    SELECT b."account_score", b."decision" FROM "account_sessions" b
    WHERE b."project_id" = a."project_id" AND b."account_id" = a."id"
    ORDER BY b."session_start" DESC, b."session_id" DESC LIMIT 1
) s ON true;
INSERT INTO "standing_recalculations" ("project_id", "position")
SELECT "project_id", '00000000-0000-0000-0000-000000000000' FROM "projects";
RESET ROLE;

CREATE INDEX "account_standing_project_id_created_at_account_id_idx"
    ON "account_standing" ("project_id", "created_at" DESC, "account_id" DESC);
CREATE INDEX "account_standing_project_id_last_seen_account_id_idx"
    ON "account_standing" ("project_id", "last_seen" DESC, "account_id" DESC);
CREATE INDEX "account_standing_project_id_num_sessions_account_id_idx"
    ON "account_standing" ("project_id", "num_sessions" DESC, "account_id" DESC);
CREATE INDEX "account_standing_project_id_account_score_account_id_idx"
    ON "account_standing" ("project_id", "account_score" DESC, "account_id" DESC);
CREATE INDEX "account_standing_project_id_decision_account_score_account__idx"
    ON "account_standing" ("project_id", "decision", "account_score" DESC, "account_id" DESC);
CREATE INDEX "account_standing_project_id_country_account_score_account_i_idx"
    ON "account_standing" ("project_id", "country", "account_score" DESC, "account_id" DESC);

DO $$
DECLARE
    name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY['account_standing', 'standing_flags', 'standing_recalculations'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY one_project ON %I TO vouchgraph_app
            USING (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))
            WITH CHECK (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))', name);
        EXECUTE format('CREATE POLICY every_project ON %I TO vouchgraph_system USING (true) WITH CHECK (true)', name);
    END LOOP;
END $$;

-- Room for the next version of a row on its own page.
ALTER TABLE "accounts" SET (fillfactor = 85);
DROP INDEX "accounts_project_id_last_seen_id_idx";
DROP INDEX "accounts_project_id_created_at_id_idx";
DROP INDEX "accounts_project_id_num_sessions_id_idx";
