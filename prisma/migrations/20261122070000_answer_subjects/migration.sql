-- Stored answers name the accounts and sessions that they contain data of, so that an erasure finds them by index.

-- Number of erased accounts. An answer that is wide is valid for as long as the number does not change.
ALTER TABLE "projects" ADD COLUMN "erasures" BIGINT NOT NULL DEFAULT 0;

-- Answers of earlier versions, and of gateways that still run one, name no subjects: they are wide.
ALTER TABLE "idempotency_keys"
    ADD COLUMN "request_id" UUID,
    ADD COLUMN "erasures" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "is_wide" BOOLEAN NOT NULL DEFAULT true;

ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_state_check";
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_state_check"
    CHECK ("state" IN ('running', 'applied', 'done', 'erased')) NOT VALID;
ALTER TABLE "idempotency_keys" VALIDATE CONSTRAINT "idempotency_keys_state_check";

CREATE TABLE "idempotency_subjects" (
    "project_id" UUID NOT NULL,
    "subject" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    CONSTRAINT "idempotency_subjects_pkey" PRIMARY KEY ("project_id", "subject", "key_hash"),
    CONSTRAINT "idempotency_subjects_project_id_key_hash_fkey" FOREIGN KEY ("project_id", "key_hash")
        REFERENCES "idempotency_keys" ("project_id", "key_hash") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "idempotency_subjects_project_id_key_hash_idx" ON "idempotency_subjects" ("project_id", "key_hash");

ALTER TABLE "idempotency_subjects" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_subjects" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "idempotency_subjects" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "idempotency_subjects" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "idempotency_subjects" TO vouchgraph_app, vouchgraph_system;
