-- Ids by which calibrations are named outside of their project's order.
ALTER TABLE "calibrations" ADD COLUMN "calibration_id" UUID NOT NULL DEFAULT gen_random_uuid();
