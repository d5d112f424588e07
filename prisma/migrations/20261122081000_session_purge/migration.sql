-- How far a purge has come in a project that examines rows in the order of their ids, and not by an index of those that are old.
CREATE TABLE "purge_progress" (
    "project_id" UUID NOT NULL,
    "purge" TEXT NOT NULL,
    "through" UUID NOT NULL,
    CONSTRAINT "purge_progress_pkey" PRIMARY KEY ("project_id", "purge")
);

-- Facts that were added to an open session, until they are merged into the session's own.
CREATE TABLE "session_patches" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "patch_number" SMALLINT NOT NULL,
    "facts" BYTEA NOT NULL,
    CONSTRAINT "session_patches_pkey" PRIMARY KEY ("project_id", "session_id", "patch_number"),
    CONSTRAINT "session_patches_project_id_session_id_fkey" FOREIGN KEY ("project_id", "session_id")
        REFERENCES "sessions" ("project_id", "session_id") ON DELETE CASCADE ON UPDATE CASCADE
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['purge_progress', 'session_patches'] LOOP
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
