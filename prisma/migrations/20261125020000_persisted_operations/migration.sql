-- GraphQL documents that a project registered, executed by the SHA-256 of their text.
CREATE TABLE "persisted_operations" (
    "project_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "text" TEXT NOT NULL,
    "operation_names" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "persisted_operations_pkey" PRIMARY KEY ("project_id", "operation_id")
);
CREATE UNIQUE INDEX "persisted_operations_project_id_hash_key" ON "persisted_operations" ("project_id", "hash");

-- Raised by one with every change of the project's registered operations: gateways compare it with what they remember.
ALTER TABLE "projects" ADD COLUMN "operations_version" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "persisted_operations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "persisted_operations" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "persisted_operations" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "persisted_operations" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "persisted_operations" TO vouchgraph_app, vouchgraph_system;
