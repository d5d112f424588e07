-- Names in the terms of the documents: pending recalculations, encrypted columns, and the hash of a subnet.
ALTER TABLE "link_rescores" RENAME TO "link_recalculations";
ALTER TABLE "link_recalculations" RENAME COLUMN "mark_id" TO "recalculation_id";
ALTER TABLE "link_recalculations" RENAME CONSTRAINT "link_rescores_pkey" TO "link_recalculations_pkey";

ALTER TABLE "identity_marks" RENAME TO "identity_recalculations";
ALTER TABLE "identity_recalculations" RENAME COLUMN "mark_id" TO "recalculation_id";
ALTER TABLE "identity_recalculations" RENAME CONSTRAINT "identity_marks_pkey" TO "identity_recalculations_pkey";

ALTER TABLE "projects" RENAME COLUMN "sealed_key" TO "encrypted_key";
ALTER TABLE "list_members" RENAME COLUMN "sealed_reason" TO "encrypted_reason";
ALTER TABLE "pending_list_members" RENAME COLUMN "sealed_reason" TO "encrypted_reason";
ALTER TABLE "verification_sessions" RENAME COLUMN "sealed_redirect_url" TO "encrypted_redirect_url";
ALTER TABLE "verification_reviews" RENAME COLUMN "sealed_reason" TO "encrypted_reason";

ALTER TABLE "sessions" RENAME COLUMN "neighbourhood_hash" TO "compared_subnet_hash";
ALTER TABLE "fraud_sightings" RENAME COLUMN "neighbourhood_hash" TO "compared_subnet_hash";
ALTER INDEX "fraud_sightings_project_id_neighbourhood_hash_seen_at_idx"
  RENAME TO "fraud_sightings_project_id_compared_subnet_hash_seen_at_idx";
