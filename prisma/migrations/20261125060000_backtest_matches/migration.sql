-- Decisions that backtests matched.
CREATE TABLE "backtest_matches" (
    "project_id" UUID NOT NULL,
    "backtest_id" UUID NOT NULL,
    "decision_id" UUID NOT NULL,
    CONSTRAINT "backtest_matches_pkey" PRIMARY KEY ("project_id", "backtest_id", "decision_id")
);

ALTER TABLE "backtest_matches" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "backtest_matches" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "backtest_matches" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "backtest_matches" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "backtest_matches" TO vouchgraph_app, vouchgraph_system;
