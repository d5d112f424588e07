-- Files of addresses to check. Their names and columns are the customer's: encrypted.
CREATE TABLE "email_imports" (
    "project_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "description" BYTEA NOT NULL,
    "status" TEXT NOT NULL,
    "rows_received" INTEGER NOT NULL DEFAULT 0,
    "bytes_received" BIGINT NOT NULL DEFAULT 0,
    "actor" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    CONSTRAINT "email_imports_pkey" PRIMARY KEY ("project_id", "import_id")
);

CREATE TABLE "email_batches" (
    "project_id" UUID NOT NULL,
    "batch_id" UUID NOT NULL,
    "import_id" UUID,
    "import_number" INTEGER,
    "name" BYTEA,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "total_count" INTEGER NOT NULL,
    "completed_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "identity_intelligence" BOOLEAN NOT NULL DEFAULT false,
    "emits_each" BOOLEAN NOT NULL DEFAULT true,
    "digest" BYTEA,
    "actor" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "locked_until" TIMESTAMPTZ(3),
    "worked_at" TIMESTAMPTZ(3),
    CONSTRAINT "email_batches_pkey" PRIMARY KEY ("project_id", "batch_id"),
    CONSTRAINT "email_batches_project_id_import_id_fkey" FOREIGN KEY ("project_id", "import_id")
        REFERENCES "email_imports" ("project_id", "import_id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "email_batches_project_id_import_id_import_number_key"
    ON "email_batches" ("project_id", "import_id", "import_number");
-- Batches that are not completed, for the process that works on them next.
CREATE INDEX "email_batches_open" ON "email_batches" ("worked_at") WHERE "status" <> 'completed';

CREATE TABLE "email_checks" (
    "project_id" UUID NOT NULL,
    "check_id" UUID NOT NULL,
    "batch_id" UUID,
    "position" INTEGER,
    "account_id" UUID,
    "address_hash" BYTEA NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "input" BYTEA NOT NULL,
    "result" BYTEA,
    "event_id" UUID,
    "request_id" UUID NOT NULL,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    CONSTRAINT "email_checks_pkey" PRIMARY KEY ("project_id", "check_id"),
    CONSTRAINT "email_checks_project_id_batch_id_fkey" FOREIGN KEY ("project_id", "batch_id")
        REFERENCES "email_batches" ("project_id", "batch_id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "email_checks_project_id_batch_id_position_key"
    ON "email_checks" ("project_id", "batch_id", "position");
-- All checks of an address: its history and its erasure.
CREATE INDEX "email_checks_project_id_address_hash_idx" ON "email_checks" ("project_id", "address_hash");
CREATE INDEX "email_checks_of_account" ON "email_checks" ("project_id", "account_id") WHERE "account_id" IS NOT NULL;
-- Checks outside of batches that wait for a result.
CREATE INDEX "email_checks_waiting" ON "email_checks" ("locked_until")
    WHERE "status" = 'pending' AND "batch_id" IS NULL;

ALTER TABLE "email_imports" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "email_imports" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "email_imports" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "email_imports" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "email_imports" TO vouchgraph_app, vouchgraph_system;

ALTER TABLE "email_batches" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "email_batches" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "email_batches" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "email_batches" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "email_batches" TO vouchgraph_app, vouchgraph_system;

ALTER TABLE "email_checks" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "email_checks" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "email_checks" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "email_checks" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "email_checks" TO vouchgraph_app, vouchgraph_system;
