-- Version of the face pipeline that made a template; those that are there are of the first. Templates of different versions
-- are never compared. `unreadable_version`: highest version that could not make the template again from the images that
-- are still kept; 0 for none.
ALTER TABLE "face_templates"
    ADD COLUMN "pipeline_version" SMALLINT NOT NULL DEFAULT 1,
    ADD COLUMN "unreadable_version" SMALLINT NOT NULL DEFAULT 0;
