-- Whether a link makes its two accounts one identity. Links of before do not know: `vouchgraph links rebuild` tells them.
ALTER TABLE "links" ADD COLUMN "bridges" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "links_bridging" ON "links" ("project_id", "account_id", "linked_account_id") WHERE "bridges";

-- The device without one of its parts, as keyed hashes, for each part in which a nearly equal one may differ.
ALTER TABLE "sessions" ADD COLUMN "device_part_hashes" BYTEA[] DEFAULT ARRAY[]::BYTEA[];

-- Identifiers whose crowd changed by more than could be followed in the same transaction.
CREATE TABLE "link_rescores" (
    "project_id" UUID NOT NULL,
    "mark_id" UUID NOT NULL,
    "kind" SMALLINT NOT NULL,
    "value_hash" BYTEA NOT NULL,
    "account_group" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "link_rescores_pkey" PRIMARY KEY ("project_id", "mark_id")
);

-- Identities: the connected components of the bridging links, with ids that outlive merges and splits.
CREATE TABLE "identity_groups" (
    "project_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "size" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "identity_groups_pkey" PRIMARY KEY ("project_id", "group_id")
);
CREATE TABLE "identity_members" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "identity_members_pkey" PRIMARY KEY ("project_id", "account_id")
);
CREATE INDEX "identity_members_project_id_group_id_account_id_idx" ON "identity_members" ("project_id", "group_id", "account_id");
CREATE TABLE "identity_changes" (
    "project_id" UUID NOT NULL,
    "change_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "group_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "other_group_id" UUID,
    "size" INTEGER NOT NULL,
    CONSTRAINT "identity_changes_pkey" PRIMARY KEY ("project_id", "change_id")
);
CREATE INDEX "identity_changes_project_id_group_id_at_change_id_idx" ON "identity_changes" ("project_id", "group_id", "at" DESC, "change_id" DESC);
CREATE TABLE "identity_marks" (
    "project_id" UUID NOT NULL,
    "mark_id" UUID NOT NULL,
    "account_id" UUID,
    "group_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "identity_marks_pkey" PRIMARY KEY ("project_id", "mark_id")
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['link_rescores', 'identity_groups', 'identity_members', 'identity_changes', 'identity_marks'] LOOP
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
