-- Accounts that rules may not put on a list.
CREATE TABLE "list_keep_offs" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "list_id" UUID NOT NULL,
    "actor" TEXT NOT NULL DEFAULT '',
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "list_keep_offs_pkey" PRIMARY KEY ("project_id", "account_id", "list_id"),
    CONSTRAINT "list_keep_offs_project_id_list_id_fkey" FOREIGN KEY ("project_id", "list_id")
        REFERENCES "lists" ("project_id", "list_id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "list_keep_offs_project_id_list_id_idx" ON "list_keep_offs" ("project_id", "list_id");

ALTER TABLE "list_keep_offs" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "list_keep_offs" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_project ON "list_keep_offs" TO vouchgraph_app
    USING (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid))
    WITH CHECK (project_id = (SELECT nullif(current_setting('app.project', true), '')::uuid));
CREATE POLICY every_project ON "list_keep_offs" TO vouchgraph_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON "list_keep_offs" TO vouchgraph_app, vouchgraph_system;
