-- Members of lists that end by themselves.
CREATE INDEX "list_members_ending" ON "list_members" ("project_id", "expires_at") WHERE "expires_at" IS NOT NULL;

-- Raised by one with every change of a rule: decisions name the rules that they followed by it.
ALTER TABLE "projects" ADD COLUMN "rules_version" INTEGER NOT NULL DEFAULT 0;

-- Rules as they are now, and every version of each.
CREATE TABLE "rules" (
    "project_id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "trigger" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "position" INTEGER NOT NULL,
    "expression" JSONB NOT NULL,
    "actions" JSONB NOT NULL,
    "built_in" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "rules_pkey" PRIMARY KEY ("project_id", "rule_id")
);
CREATE INDEX "rules_project_id_position_rule_id_idx" ON "rules" ("project_id", "position", "rule_id");
CREATE TABLE "rule_versions" (
    "project_id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "rules_version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "trigger" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "position" INTEGER NOT NULL,
    "expression" JSONB NOT NULL,
    "actions" JSONB NOT NULL,
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "rule_versions_pkey" PRIMARY KEY ("project_id", "rule_id", "version")
);

-- A rule that matched an account in a session; live ones acted, shadow ones did not.
CREATE TABLE "rule_matches" (
    "project_id" UUID NOT NULL,
    "match_id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "shadow" BOOLEAN NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "outcomes" JSONB NOT NULL,
    CONSTRAINT "rule_matches_pkey" PRIMARY KEY ("project_id", "match_id")
);
CREATE UNIQUE INDEX "rule_matches_once_key" ON "rule_matches" ("project_id", "account_id", "session_id", "rule_id", "shadow");
CREATE INDEX "rule_matches_project_id_rule_id_match_id_idx" ON "rule_matches" ("project_id", "rule_id", "match_id" DESC);

-- Every decision with what it was made of; its id is ordered by time.
CREATE TABLE "decisions" (
    "project_id" UUID NOT NULL,
    "decision_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "first_session" BOOLEAN NOT NULL,
    "decision" TEXT NOT NULL,
    "account_score" DOUBLE PRECISION NOT NULL,
    "versions" JSONB NOT NULL DEFAULT '{}',
    "inputs" BYTEA NOT NULL,
    CONSTRAINT "decisions_pkey" PRIMARY KEY ("project_id", "decision_id")
);
CREATE INDEX "decisions_project_id_account_id_decision_id_idx" ON "decisions" ("project_id", "account_id", "decision_id" DESC);

-- A rule tried on stored decisions.
CREATE TABLE "backtests" (
    "project_id" UUID NOT NULL,
    "backtest_id" UUID NOT NULL,
    "expression" JSONB NOT NULL,
    "trigger" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "state" TEXT NOT NULL,
    "locked_until" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "total" INTEGER,
    "examined" INTEGER NOT NULL DEFAULT 0,
    "matched" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "accounts" INTEGER NOT NULL DEFAULT 0,
    "sample" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[],
    "overlap" JSONB NOT NULL DEFAULT '{}',
    CONSTRAINT "backtests_pkey" PRIMARY KEY ("project_id", "backtest_id")
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['rules', 'rule_versions', 'rule_matches', 'decisions', 'backtests'] LOOP
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

-- What a rule was is never rewritten.
REVOKE UPDATE, DELETE ON "rule_versions" FROM vouchgraph_app;
