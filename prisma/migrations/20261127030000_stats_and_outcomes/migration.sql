-- How often something happened in an hour.
CREATE TABLE "project_counters" (
    "project_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "value" BIGINT NOT NULL,
    CONSTRAINT "project_counters_pkey" PRIMARY KEY ("project_id", "hour", "kind", "key")
);

ALTER TABLE "project_counters" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "project_counters" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "project_counters" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "project_counters" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "project_counters" TO vouchgraph_app, vouchgraph_system;

-- Position of the last event that the counters include.
CREATE TABLE "stats_positions" (
    "project_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "rebuilds_from" TIMESTAMPTZ(3),
    CONSTRAINT "stats_positions_pkey" PRIMARY KEY ("project_id")
);

ALTER TABLE "stats_positions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "stats_positions" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "stats_positions" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "stats_positions" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "stats_positions" TO vouchgraph_app, vouchgraph_system;

-- Reported outcomes of accounts.
CREATE TABLE "account_outcomes" (
    "project_id" UUID NOT NULL,
    "outcome_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "outcome" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "note" BYTEA,
    "actor" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "account_outcomes_pkey" PRIMARY KEY ("project_id", "outcome_id")
);
CREATE UNIQUE INDEX "account_outcomes_once_key"
    ON "account_outcomes" ("project_id", "account_id", "outcome", "at");
CREATE INDEX "account_outcomes_of_account"
    ON "account_outcomes" ("project_id", "account_id", "at" DESC, "outcome_id" DESC);
CREATE INDEX "account_outcomes_by_report" ON "account_outcomes" ("project_id", "reported_at");

ALTER TABLE "account_outcomes" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "account_outcomes" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "account_outcomes" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "account_outcomes" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "account_outcomes" TO vouchgraph_app, vouchgraph_system;
