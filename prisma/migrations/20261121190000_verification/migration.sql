-- Verifications: their pages, pictures, faces and documents. Pictures are outside the database.
-- CreateTable
CREATE TABLE "verification_sessions" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'created',
    "failure" TEXT NOT NULL DEFAULT '',
    "simulation" JSONB,
    "secret_hash" BYTEA NOT NULL,
    "capture_hash" BYTEA,
    "handover_hash" BYTEA,
    "account_id" TEXT,
    "bound_account_id" UUID,
    "referring_session_id" UUID,
    "redirect_url" TEXT NOT NULL DEFAULT '',
    "language" TEXT NOT NULL DEFAULT '',
    "challenge" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "request_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "opened_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "submitted_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "consent_at" TIMESTAMPTZ(3),
    "consent_version" TEXT NOT NULL DEFAULT '',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "decision" TEXT NOT NULL DEFAULT '',
    "risk_score" DOUBLE PRECISION,
    "capture" BYTEA,
    "result" BYTEA,

    CONSTRAINT "verification_sessions_pkey" PRIMARY KEY ("project_id","session_id")
);

-- CreateTable
CREATE TABLE "media_objects" (
    "project_id" UUID NOT NULL,
    "object_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "sequence" SMALLINT NOT NULL DEFAULT 0,
    "content_type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'expected',
    "version" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "media_objects_pkey" PRIMARY KEY ("project_id","object_id")
);

-- CreateTable
CREATE TABLE "face_templates" (
    "project_id" UUID NOT NULL,
    "template_id" UUID NOT NULL,
    "account_id" UUID,
    "session_id" UUID NOT NULL,
    "account_group" TEXT NOT NULL DEFAULT '',
    "is_enrolled" BOOLEAN NOT NULL DEFAULT false,
    "descriptor" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "change_number" BIGSERIAL NOT NULL,

    CONSTRAINT "face_templates_pkey" PRIMARY KEY ("project_id","template_id")
);

-- CreateTable
CREATE TABLE "document_sightings" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "number_hash" BYTEA NOT NULL,
    "name_hash" BYTEA,
    "account_id" UUID,
    "account_group" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "document_sightings_pkey" PRIMARY KEY ("project_id","session_id")
);

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_created_at_session_id_idx" ON "verification_sessions"("project_id", "created_at" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_account_id_idx" ON "verification_sessions"("project_id", "account_id");

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_bound_account_id_idx" ON "verification_sessions"("project_id", "bound_account_id");

-- CreateIndex
CREATE INDEX "verification_sessions_session_id_idx" ON "verification_sessions"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "media_objects_project_id_session_id_kind_sequence_key" ON "media_objects"("project_id", "session_id", "kind", "sequence");

-- CreateIndex
CREATE INDEX "face_templates_project_id_account_id_idx" ON "face_templates"("project_id", "account_id");

-- CreateIndex
CREATE INDEX "face_templates_project_id_session_id_idx" ON "face_templates"("project_id", "session_id");

-- CreateIndex
CREATE INDEX "face_templates_project_id_change_number_idx" ON "face_templates"("project_id", "change_number");

-- CreateIndex
CREATE INDEX "document_sightings_project_id_number_hash_idx" ON "document_sightings"("project_id", "number_hash");

-- CreateIndex
CREATE INDEX "document_sightings_project_id_account_id_idx" ON "document_sightings"("project_id", "account_id");

-- The application's own numbers of changes.
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO vouchgraph_app, vouchgraph_system;

-- What is enrolled stays.
ALTER TABLE "face_templates" ADD CONSTRAINT "enrolled_faces_stay" CHECK (NOT "is_enrolled" OR "expires_at" IS NULL);

-- One enrolled face for an account, whatever happens at the same moment.
CREATE UNIQUE INDEX "face_templates_enrolled" ON "face_templates" ("project_id", "account_id") WHERE "is_enrolled";
-- What is to be erased for its age, and what waits to be processed.
CREATE INDEX "face_templates_expiry" ON "face_templates" ("expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "document_sightings_expiry" ON "document_sightings" ("expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "media_objects_expiry" ON "media_objects" ("expires_at") WHERE "state" <> 'gone';
CREATE INDEX "verification_sessions_results" ON "verification_sessions" ("created_at") WHERE "result" IS NOT NULL OR "capture" IS NOT NULL;
CREATE INDEX "verification_sessions_without_result" ON "verification_sessions" ("created_at") WHERE "state" NOT IN ('processing', 'completed');

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['verification_sessions', 'media_objects', 'face_templates', 'document_sightings'] LOOP
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
