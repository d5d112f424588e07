-- vouchgraph: outside a transaction
-- Templates that are still to be made again by version 2 of the face pipeline.
create index concurrently if not exists face_templates_to_recompute_2
  on face_templates (project_id, template_id) where pipeline_version < 2 and unreadable_version < 2;
