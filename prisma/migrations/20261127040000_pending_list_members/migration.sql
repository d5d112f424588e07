-- Memberships of standard lists that wait for an account which does not exist yet.
CREATE TABLE "pending_list_members" (
    "project_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "list_id" UUID NOT NULL,
    "sealed_reason" BYTEA,
    "actor" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    CONSTRAINT "pending_list_members_pkey" PRIMARY KEY ("project_id", "account_id"),
    CONSTRAINT "pending_list_members_project_id_list_id_fkey" FOREIGN KEY ("project_id", "list_id")
        REFERENCES "lists" ("project_id", "list_id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "pending_list_members_project_id_created_at_account_id_idx"
    ON "pending_list_members" ("project_id", "created_at" DESC, "account_id" DESC);
CREATE INDEX "pending_list_members_project_id_list_id_created_at_account__idx"
    ON "pending_list_members" ("project_id", "list_id", "created_at" DESC, "account_id" DESC);
CREATE INDEX "pending_list_members_ending" ON "pending_list_members" ("project_id", "expires_at") WHERE "expires_at" IS NOT NULL;

ALTER TABLE "pending_list_members" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "pending_list_members" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "pending_list_members" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "pending_list_members" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "pending_list_members" TO vouchgraph_app, vouchgraph_system;
