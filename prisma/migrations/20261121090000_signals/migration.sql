-- Where a session was and on what, sealed: the account's next session is compared with it.
ALTER TABLE "sessions" ADD COLUMN "trace" BYTEA;

-- Sessions that were decided Fake, by the keyed hashes of their network: later sessions of others there are told.
CREATE TABLE "fraud_sightings" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "network_hash" BYTEA NOT NULL,
    "neighbourhood_hash" BYTEA NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "fraud_sightings_pkey" PRIMARY KEY ("project_id", "account_id", "session_id")
);
CREATE INDEX "fraud_sightings_project_id_neighbourhood_hash_seen_at_idx" ON "fraud_sightings" ("project_id", "neighbourhood_hash", "seen_at" DESC);
CREATE INDEX "fraud_sightings_project_id_seen_at_idx" ON "fraud_sightings" ("project_id", "seen_at");

-- Maps from raw to calibrated scores, fitted on a project's own labels. The newest version that was not retired counts.
CREATE TABLE "calibrations" (
    "project_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "fitted_at" TIMESTAMPTZ(3) NOT NULL,
    "weights_version" TEXT NOT NULL,
    "calibration" JSONB NOT NULL,
    "retired_at" TIMESTAMPTZ(3),
    CONSTRAINT "calibrations_pkey" PRIMARY KEY ("project_id", "version")
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['fraud_sightings', 'calibrations'] LOOP
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

-- Calibrations are fitted by the command line, which speaks for the system.
REVOKE INSERT, UPDATE, DELETE ON "calibrations" FROM vouchgraph_app;
