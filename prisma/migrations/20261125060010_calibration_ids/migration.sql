-- Ids by which calibrations are named outside of their project's order. A project has few calibrations.
ALTER TABLE "calibrations" ADD COLUMN "calibration_id" UUID NOT NULL DEFAULT gen_random_uuid();
CREATE UNIQUE INDEX "calibrations_project_id_calibration_id_key" ON "calibrations" ("project_id", "calibration_id");
