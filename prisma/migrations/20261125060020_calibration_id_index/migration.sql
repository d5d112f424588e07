-- vouchgraph: outside a transaction
-- Calibrations are read by their ids.
create unique index concurrently if not exists calibrations_project_id_calibration_id_key
  on calibrations (project_id, calibration_id);
