-- Decisions of reviewers on completed verifications, the withdrawn ones as well.
CREATE TABLE "verification_reviews" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "decision" TEXT NOT NULL,
    "sealed_reason" BYTEA,
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "verification_reviews_pkey" PRIMARY KEY ("project_id", "session_id", "position"),
    CONSTRAINT "verification_reviews_project_id_session_id_fkey" FOREIGN KEY ("project_id", "session_id")
        REFERENCES "verification_sessions" ("project_id", "session_id") ON DELETE CASCADE ON UPDATE CASCADE
);

ALTER TABLE "verification_reviews" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "verification_reviews" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "verification_reviews" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "verification_reviews" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "verification_reviews" TO vouchgraph_app, vouchgraph_system;
