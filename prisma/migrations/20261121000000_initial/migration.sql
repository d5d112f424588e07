-- Generated from prisma/schema.prisma by `npm run db:fold`. Changes belong into schema.prisma, or below.

-- CreateTable
CREATE TABLE "projects" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "rules_version" INTEGER NOT NULL DEFAULT 0,
    "operations_version" INTEGER NOT NULL DEFAULT 0,
    "settings_version" INTEGER NOT NULL DEFAULT 0,
    "erasures" BIGINT NOT NULL DEFAULT 0,
    "encrypted_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "project_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "label" TEXT NOT NULL DEFAULT '',
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("project_id","key_id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "project_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "account_group" TEXT NOT NULL DEFAULT '',
    "personal" BYTEA NOT NULL,
    "expected_countries" TEXT[],
    "first_seen" TIMESTAMPTZ(3),
    "last_seen" TIMESTAMPTZ(3),
    "last_session" UUID,
    "country" TEXT NOT NULL DEFAULT '',
    "countries" TEXT[],
    "num_sessions" INTEGER NOT NULL DEFAULT 0,
    "unique_devices_1d" INTEGER NOT NULL DEFAULT 0,
    "unique_devices_7d" INTEGER NOT NULL DEFAULT 0,
    "unique_networks_1d" INTEGER NOT NULL DEFAULT 0,
    "unique_networks_7d" INTEGER NOT NULL DEFAULT 0,
    "aggregates" JSON NOT NULL DEFAULT '{}',
    "match_key_version" SMALLINT NOT NULL,
    "holds_stale_keys" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "blocking_keys" BYTEA NOT NULL DEFAULT '\x',

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("project_id","id")
);

-- CreateTable
CREATE TABLE "account_standing" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "account_group" TEXT NOT NULL DEFAULT '',
    "account_score" DOUBLE PRECISION NOT NULL,
    "decision" TEXT NOT NULL,
    "country" TEXT NOT NULL DEFAULT '',
    "num_sessions" INTEGER NOT NULL DEFAULT 0,
    "last_seen" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_standing_pkey" PRIMARY KEY ("project_id","account_id")
);

-- CreateTable
CREATE TABLE "standing_flags" (
    "project_id" UUID NOT NULL,
    "flag_id" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,

    CONSTRAINT "standing_flags_pkey" PRIMARY KEY ("project_id","flag_id")
);

-- CreateTable
CREATE TABLE "standing_recalculations" (
    "project_id" UUID NOT NULL,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "position" UUID NOT NULL,
    "changed_xid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "standing_recalculations_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "source" TEXT NOT NULL,
    "source_version" TEXT NOT NULL DEFAULT '',
    "start_time" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "true_country_code" TEXT NOT NULL DEFAULT '',
    "connection_type" TEXT NOT NULL DEFAULT '',
    "device_id" TEXT NOT NULL DEFAULT '',
    "browser_hash" BYTEA,
    "device_hash" BYTEA,
    "network_hash" BYTEA,
    "compared_subnet_hash" BYTEA,
    "address_hash" BYTEA,
    "subnet_hash" BYTEA,
    "signals" INTEGER NOT NULL,
    "device_part_hashes" BYTEA[] DEFAULT ARRAY[]::BYTEA[],
    "facts" BYTEA NOT NULL,
    "result" BYTEA NOT NULL,
    "trace" BYTEA NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("project_id","session_id")
);

-- CreateTable
CREATE TABLE "session_patches" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "patch_number" SMALLINT NOT NULL,
    "facts" BYTEA NOT NULL,

    CONSTRAINT "session_patches_pkey" PRIMARY KEY ("project_id","session_id","patch_number")
);

-- CreateTable
CREATE TABLE "purge_progress" (
    "project_id" UUID NOT NULL,
    "purge" TEXT NOT NULL,
    "through" UUID NOT NULL,

    CONSTRAINT "purge_progress_pkey" PRIMARY KEY ("project_id","purge")
);

-- CreateTable
CREATE TABLE "account_sessions" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "session_start" TIMESTAMPTZ(3) NOT NULL,
    "bound_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "request_id" UUID NOT NULL,
    "country" TEXT NOT NULL DEFAULT '',
    "scores" DOUBLE PRECISION[],
    "account_score" DOUBLE PRECISION NOT NULL,
    "decision" TEXT NOT NULL,

    CONSTRAINT "account_sessions_pkey" PRIMARY KEY ("project_id","account_id","session_id")
);

-- CreateTable
CREATE TABLE "identifiers" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" SMALLINT NOT NULL,
    "value_hash" BYTEA NOT NULL,
    "account_group" TEXT NOT NULL DEFAULT '',
    "first_seen" TIMESTAMPTZ(3) NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "identifiers_pkey" PRIMARY KEY ("project_id","account_id","kind","value_hash")
);

-- CreateTable
CREATE TABLE "blocking_keys" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" SMALLINT NOT NULL,
    "value_hash" BYTEA NOT NULL,
    "account_group" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "blocking_keys_pkey" PRIMARY KEY ("project_id","kind","value_hash","account_group","account_id")
);

-- CreateTable
CREATE TABLE "links" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "linked_account_id" UUID NOT NULL,
    "score" DOUBLE PRECISION NOT NULL,
    "kinds" INTEGER NOT NULL,
    "first_seen" TIMESTAMPTZ(3) NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,
    "bridges" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "links_pkey" PRIMARY KEY ("project_id","account_id","linked_account_id")
);

-- CreateTable
CREATE TABLE "link_recalculations" (
    "project_id" UUID NOT NULL,
    "recalculation_id" UUID NOT NULL,
    "kind" SMALLINT NOT NULL,
    "value_hash" BYTEA NOT NULL,
    "account_group" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "link_recalculations_pkey" PRIMARY KEY ("project_id","recalculation_id")
);

-- CreateTable
CREATE TABLE "identity_groups" (
    "project_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "size" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identity_groups_pkey" PRIMARY KEY ("project_id","group_id")
);

-- CreateTable
CREATE TABLE "identity_members" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "parent_id" UUID,

    CONSTRAINT "identity_members_pkey" PRIMARY KEY ("project_id","account_id")
);

-- CreateTable
CREATE TABLE "identity_changes" (
    "project_id" UUID NOT NULL,
    "change_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "group_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "other_group_id" UUID,
    "size" INTEGER NOT NULL,

    CONSTRAINT "identity_changes_pkey" PRIMARY KEY ("project_id","change_id")
);

-- CreateTable
CREATE TABLE "identity_recalculations" (
    "project_id" UUID NOT NULL,
    "recalculation_id" UUID NOT NULL,
    "account_id" UUID,
    "group_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identity_recalculations_pkey" PRIMARY KEY ("project_id","recalculation_id")
);

-- CreateTable
CREATE TABLE "fraud_sightings" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "network_hash" BYTEA NOT NULL,
    "compared_subnet_hash" BYTEA NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "fraud_sightings_pkey" PRIMARY KEY ("project_id","account_id","session_id")
);

-- CreateTable
CREATE TABLE "calibrations" (
    "project_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "fitted_at" TIMESTAMPTZ(3) NOT NULL,
    "weights_version" TEXT NOT NULL,
    "calibration" JSONB NOT NULL,
    "retired_at" TIMESTAMPTZ(3),
    "calibration_id" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "calibrations_pkey" PRIMARY KEY ("project_id","version")
);

-- CreateTable
CREATE TABLE "lists" (
    "project_id" UUID NOT NULL,
    "list_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "effect" TEXT NOT NULL DEFAULT 'none',
    "standard" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lists_pkey" PRIMARY KEY ("project_id","list_id")
);

-- CreateTable
CREATE TABLE "list_members" (
    "project_id" UUID NOT NULL,
    "list_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "encrypted_reason" BYTEA,
    "actor" TEXT NOT NULL DEFAULT '',
    "source" TEXT NOT NULL DEFAULT 'api',
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "list_members_pkey" PRIMARY KEY ("project_id","list_id","account_id")
);

-- CreateTable
CREATE TABLE "list_keep_offs" (
    "project_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "list_id" UUID NOT NULL,
    "actor" TEXT NOT NULL DEFAULT '',
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "list_keep_offs_pkey" PRIMARY KEY ("project_id","account_id","list_id")
);

-- CreateTable
CREATE TABLE "pending_list_members" (
    "project_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "list_id" UUID NOT NULL,
    "encrypted_reason" BYTEA,
    "actor" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "pending_list_members_pkey" PRIMARY KEY ("project_id","account_id")
);

-- CreateTable
CREATE TABLE "rules" (
    "project_id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "trigger" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "position" INTEGER NOT NULL,
    "expression" JSONB NOT NULL,
    "actions" JSONB NOT NULL,
    "built_in" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rules_pkey" PRIMARY KEY ("project_id","rule_id")
);

-- CreateTable
CREATE TABLE "rule_versions" (
    "project_id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "rules_version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "trigger" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "position" INTEGER NOT NULL,
    "expression" JSONB NOT NULL,
    "actions" JSONB NOT NULL,
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rule_versions_pkey" PRIMARY KEY ("project_id","rule_id","version")
);

-- CreateTable
CREATE TABLE "rule_matches" (
    "project_id" UUID NOT NULL,
    "match_id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "shadow" BOOLEAN NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "outcomes" JSONB NOT NULL,

    CONSTRAINT "rule_matches_pkey" PRIMARY KEY ("project_id","match_id")
);

-- CreateTable
CREATE TABLE "decisions" (
    "project_id" UUID NOT NULL,
    "decision_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "first_session" BOOLEAN NOT NULL,
    "decision" TEXT NOT NULL,
    "account_score" DOUBLE PRECISION NOT NULL,
    "versions" JSONB NOT NULL DEFAULT '{}',
    "inputs" BYTEA NOT NULL,

    CONSTRAINT "decisions_pkey" PRIMARY KEY ("project_id","decision_id")
);

-- CreateTable
CREATE TABLE "backtests" (
    "project_id" UUID NOT NULL,
    "backtest_id" UUID NOT NULL,
    "expression" JSONB NOT NULL,
    "trigger" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "state" TEXT NOT NULL,
    "lease_id" UUID,
    "claimable_at" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),
    "finished_at" TIMESTAMPTZ(3),
    "total" INTEGER,
    "examined" INTEGER NOT NULL DEFAULT 0,
    "matched" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "accounts" INTEGER NOT NULL DEFAULT 0,
    "sample" UUID[] DEFAULT ARRAY[]::UUID[],
    "overlap" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "backtests_pkey" PRIMARY KEY ("project_id","backtest_id")
);

-- CreateTable
CREATE TABLE "backtest_matches" (
    "project_id" UUID NOT NULL,
    "backtest_id" UUID NOT NULL,
    "decision_id" UUID NOT NULL,

    CONSTRAINT "backtest_matches_pkey" PRIMARY KEY ("project_id","backtest_id","decision_id")
);

-- CreateTable
CREATE TABLE "outbox_events" (
    "project_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event_id" UUID NOT NULL,
    "write_id" BIGINT NOT NULL,
    "place" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "account_id" UUID,
    "session_id" UUID,
    "request_id" UUID,
    "payload" BYTEA NOT NULL,
    "other_account_id" UUID,
    "account_hash" BYTEA,
    "referring_session_id" UUID,

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("project_id","created_at","write_id","event_id")
) PARTITION BY RANGE ("created_at");

-- CreateTable
CREATE TABLE "outbox_unnumbered_writes" (
    "project_id" UUID NOT NULL,
    "write_id" BIGSERIAL NOT NULL,
    "created_from" TIMESTAMPTZ(3) NOT NULL,
    "created_to" TIMESTAMPTZ(3) NOT NULL,
    "events" INTEGER NOT NULL,

    CONSTRAINT "outbox_unnumbered_writes_pkey" PRIMARY KEY ("write_id")
);

-- CreateTable
CREATE TABLE "outbox_writes" (
    "project_id" UUID NOT NULL,
    "first_position" BIGINT NOT NULL,
    "write_id" BIGINT NOT NULL,
    "created_from" TIMESTAMPTZ(3) NOT NULL,
    "created_to" TIMESTAMPTZ(3) NOT NULL,
    "events" INTEGER NOT NULL,

    CONSTRAINT "outbox_writes_pkey" PRIMARY KEY ("project_id","first_position")
);

-- CreateTable
CREATE TABLE "outbox_positions" (
    "project_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "purged_through" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "outbox_positions_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "project_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "signature_format" TEXT NOT NULL DEFAULT 'standard',
    "signature_key" TEXT NOT NULL DEFAULT 'text',
    "payload_format" INTEGER NOT NULL DEFAULT 1,
    "secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_secret_until" TIMESTAMPTZ(3),
    "rate_per_minute" INTEGER,
    "state" TEXT NOT NULL DEFAULT 'enabled',
    "disabled_reason" TEXT NOT NULL DEFAULT '',
    "position" BIGINT NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("project_id","endpoint_id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "project_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "event_created_at" TIMESTAMPTZ(3) NOT NULL,
    "event_type" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "account_id" UUID,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "payload_format" INTEGER NOT NULL,
    "is_ordered" BOOLEAN NOT NULL DEFAULT false,
    "is_retry" BOOLEAN NOT NULL DEFAULT false,
    "claimed_by" UUID,
    "claimed_until" TIMESTAMPTZ(3),
    "resend_requested" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("project_id","delivery_id")
);

-- CreateTable
CREATE TABLE "webhook_bodies" (
    "project_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "payload_format" INTEGER NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "webhook_bodies_pkey" PRIMARY KEY ("project_id","event_id","payload_format")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "project_id" UUID NOT NULL,
    "attempt_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" INTEGER,
    "duration_ms" INTEGER NOT NULL,
    "error" TEXT NOT NULL DEFAULT '',
    "answer" BYTEA,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("project_id","attempt_id")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "project_id" UUID NOT NULL,
    "audit_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "role" TEXT,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "request_id" UUID,
    "before" JSONB,
    "after" JSONB,
    "address" BYTEA,
    "address_hash" BYTEA,
    "reason" BYTEA,
    "salt" UUID NOT NULL DEFAULT gen_random_uuid(),
    "before_salt" UUID DEFAULT gen_random_uuid(),
    "after_salt" UUID DEFAULT gen_random_uuid(),
    "address_salt" UUID DEFAULT gen_random_uuid(),
    "reason_salt" UUID DEFAULT gen_random_uuid(),

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("project_id","audit_id")
);

-- CreateTable
CREATE TABLE "audit_unchained" (
    "project_id" UUID NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "audit_id" UUID NOT NULL,

    CONSTRAINT "audit_unchained_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "audit_chain" (
    "project_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "audit_id" UUID NOT NULL,
    "commitments" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_chain_pkey" PRIMARY KEY ("project_id","position")
);

-- CreateTable
CREATE TABLE "audit_subjects" (
    "project_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "audit_id" UUID NOT NULL,

    CONSTRAINT "audit_subjects_pkey" PRIMARY KEY ("project_id","subject","audit_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "project_id" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "state" TEXT NOT NULL,
    "status" INTEGER,
    "body" BYTEA,
    "content_type" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "locked_until" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" UUID NOT NULL,
    "erasures" BIGINT NOT NULL DEFAULT 0,
    "is_wide" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("project_id","key_hash")
);

-- CreateTable
CREATE TABLE "idempotency_subjects" (
    "project_id" UUID NOT NULL,
    "subject" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,

    CONSTRAINT "idempotency_subjects_pkey" PRIMARY KEY ("project_id","subject","key_hash")
);

-- CreateTable
CREATE TABLE "verification_sessions" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'created',
    "failure" TEXT NOT NULL DEFAULT '',
    "simulation" JSONB,
    "secret_hash" BYTEA NOT NULL,
    "capture_hash" BYTEA,
    "handover_hash" BYTEA,
    "handover_expires_at" TIMESTAMPTZ(3),
    "account_id" TEXT,
    "bound_account_id" UUID,
    "referring_session_id" UUID,
    "encrypted_redirect_url" BYTEA,
    "language" TEXT NOT NULL DEFAULT '',
    "challenge" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "request_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "opened_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "submitted_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "consent_at" TIMESTAMPTZ(3),
    "consent_version" TEXT NOT NULL DEFAULT '',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lease_id" UUID,
    "claimable_at" TIMESTAMPTZ(6),
    "claims" INTEGER NOT NULL DEFAULT 0,
    "document_retakes" INTEGER NOT NULL DEFAULT 0,
    "retake_reason" TEXT NOT NULL DEFAULT '',
    "decision" TEXT NOT NULL DEFAULT '',
    "first_decision" TEXT,
    "risk_score" DOUBLE PRECISION,
    "review" TEXT NOT NULL DEFAULT '',
    "capture" BYTEA,
    "result" BYTEA,

    CONSTRAINT "verification_sessions_pkey" PRIMARY KEY ("project_id","session_id")
);

-- CreateTable
CREATE TABLE "verification_reviews" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "decision" TEXT NOT NULL,
    "encrypted_reason" BYTEA,
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_reviews_pkey" PRIMARY KEY ("project_id","session_id","position")
);

-- CreateTable
CREATE TABLE "media_objects" (
    "project_id" UUID NOT NULL,
    "object_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "sequence" SMALLINT NOT NULL DEFAULT 0,
    "content_type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'expected',
    "version" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "media_objects_pkey" PRIMARY KEY ("project_id","object_id")
);

-- CreateTable
CREATE TABLE "face_templates" (
    "project_id" UUID NOT NULL,
    "template_id" UUID NOT NULL,
    "account_id" UUID,
    "session_id" UUID NOT NULL,
    "account_group" TEXT NOT NULL DEFAULT '',
    "is_enrolled" BOOLEAN NOT NULL DEFAULT false,
    "descriptor" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "change_number" BIGSERIAL NOT NULL,
    "pipeline_version" SMALLINT NOT NULL,
    "unreadable_version" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "face_templates_pkey" PRIMARY KEY ("project_id","template_id")
);

-- CreateTable
CREATE TABLE "document_sightings" (
    "project_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "number_hash" BYTEA NOT NULL,
    "name_hash" BYTEA,
    "account_id" UUID,
    "account_group" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "document_sightings_pkey" PRIMARY KEY ("project_id","session_id")
);

-- CreateTable
CREATE TABLE "email_imports" (
    "project_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "description" BYTEA NOT NULL,
    "status" TEXT NOT NULL,
    "rows_received" INTEGER NOT NULL DEFAULT 0,
    "bytes_received" BIGINT NOT NULL DEFAULT 0,
    "actor" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "email_imports_pkey" PRIMARY KEY ("project_id","import_id")
);

-- CreateTable
CREATE TABLE "email_batches" (
    "project_id" UUID NOT NULL,
    "batch_id" UUID NOT NULL,
    "import_id" UUID,
    "import_number" INTEGER,
    "name" BYTEA,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "total_count" INTEGER NOT NULL,
    "completed_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "identity_intelligence" BOOLEAN NOT NULL DEFAULT false,
    "emits_each" BOOLEAN NOT NULL DEFAULT true,
    "digest" BYTEA,
    "actor" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "lease_id" UUID,
    "claimable_at" TIMESTAMPTZ(6),
    "worked_at" TIMESTAMPTZ(3),

    CONSTRAINT "email_batches_pkey" PRIMARY KEY ("project_id","batch_id")
);

-- CreateTable
CREATE TABLE "email_checks" (
    "project_id" UUID NOT NULL,
    "check_id" UUID NOT NULL,
    "batch_id" UUID,
    "position" INTEGER,
    "account_id" UUID,
    "address_hash" BYTEA NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "input" BYTEA NOT NULL,
    "result" BYTEA,
    "event_id" UUID,
    "request_id" UUID NOT NULL,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "lease_id" UUID,
    "claimable_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "email_checks_pkey" PRIMARY KEY ("project_id","check_id")
);

-- CreateTable
CREATE TABLE "persisted_operations" (
    "project_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "text" TEXT NOT NULL,
    "operation_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "persisted_operations_pkey" PRIMARY KEY ("project_id","operation_id")
);

-- CreateTable
CREATE TABLE "project_counters" (
    "project_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" BIGINT NOT NULL,
    "removed" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "project_counters_pkey" PRIMARY KEY ("project_id","hour","kind","key")
);

-- CreateTable
CREATE TABLE "stats_positions" (
    "project_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "rebuilds_from" TIMESTAMPTZ(3),
    "rebuild_steps" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "stats_positions_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "account_outcomes" (
    "project_id" UUID NOT NULL,
    "outcome_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "outcome" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "note" BYTEA,
    "actor" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_outcomes_pkey" PRIMARY KEY ("project_id","outcome_id")
);

-- CreateTable
CREATE TABLE "demonstration_data" (
    "project_id" UUID NOT NULL,
    "set_id" UUID NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'filling',
    "ids" JSONB NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER,
    "problem" TEXT NOT NULL DEFAULT '',
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "filled_at" TIMESTAMPTZ(3),
    "lease_id" UUID,
    "claimable_at" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),

    CONSTRAINT "demonstration_data_pkey" PRIMARY KEY ("project_id","set_id")
);

-- CreateTable
CREATE TABLE "reveals" (
    "project_id" UUID NOT NULL,
    "reveal_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "reason" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reveals_pkey" PRIMARY KEY ("project_id","reveal_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_project_id_hash_key" ON "api_keys"("project_id", "hash");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_project_id_account_id_key" ON "accounts"("project_id", "account_id");

-- CreateIndex
CREATE INDEX "account_standing_project_id_created_at_account_id_idx" ON "account_standing"("project_id", "created_at" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "account_standing_project_id_last_seen_account_id_idx" ON "account_standing"("project_id", "last_seen" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "account_standing_project_id_num_sessions_account_id_idx" ON "account_standing"("project_id", "num_sessions" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "account_standing_project_id_account_score_account_id_idx" ON "account_standing"("project_id", "account_score" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "account_standing_project_id_decision_account_score_account__idx" ON "account_standing"("project_id", "decision", "account_score" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "account_standing_project_id_country_account_score_account_i_idx" ON "account_standing"("project_id", "country", "account_score" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "sessions_project_id_start_time_session_id_idx" ON "sessions"("project_id", "start_time" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "sessions_country" ON "sessions"("project_id", "true_country_code", "start_time" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "sessions_connection" ON "sessions"("project_id", "connection_type", "start_time" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "sessions_source" ON "sessions"("project_id", "source", "start_time" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "account_sessions_project_id_session_id_account_id_idx" ON "account_sessions"("project_id", "session_id", "account_id");

-- CreateIndex
CREATE INDEX "account_sessions_project_id_account_id_session_start_sessio_idx" ON "account_sessions"("project_id", "account_id", "session_start" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "account_sessions_decision" ON "account_sessions"("project_id", "decision", "session_start" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "identifiers_project_id_kind_value_hash_account_group_accoun_idx" ON "identifiers"("project_id", "kind", "value_hash", "account_group", "account_id" DESC);

-- CreateIndex
CREATE INDEX "links_project_id_account_id_score_linked_account_id_idx" ON "links"("project_id", "account_id", "score" DESC, "linked_account_id" DESC);

-- CreateIndex
CREATE INDEX "identity_members_project_id_group_id_account_id_idx" ON "identity_members"("project_id", "group_id", "account_id");

-- CreateIndex
CREATE INDEX "identity_members_project_id_parent_id_idx" ON "identity_members"("project_id", "parent_id");

-- CreateIndex
CREATE INDEX "identity_changes_project_id_group_id_at_change_id_idx" ON "identity_changes"("project_id", "group_id", "at" DESC, "change_id" DESC);

-- CreateIndex
CREATE INDEX "fraud_sightings_project_id_compared_subnet_hash_seen_at_idx" ON "fraud_sightings"("project_id", "compared_subnet_hash", "seen_at" DESC);

-- CreateIndex
CREATE INDEX "fraud_sightings_project_id_seen_at_idx" ON "fraud_sightings"("project_id", "seen_at");

-- CreateIndex
CREATE UNIQUE INDEX "calibrations_project_id_calibration_id_key" ON "calibrations"("project_id", "calibration_id");

-- CreateIndex
CREATE UNIQUE INDEX "lists_project_id_name_key" ON "lists"("project_id", "name");

-- CreateIndex
CREATE INDEX "list_members_project_id_account_id_list_id_idx" ON "list_members"("project_id", "account_id", "list_id");

-- CreateIndex
CREATE INDEX "list_members_project_id_list_id_added_at_account_id_idx" ON "list_members"("project_id", "list_id", "added_at" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "list_keep_offs_project_id_list_id_idx" ON "list_keep_offs"("project_id", "list_id");

-- CreateIndex
CREATE INDEX "pending_list_members_project_id_created_at_account_id_idx" ON "pending_list_members"("project_id", "created_at" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "pending_list_members_project_id_list_id_created_at_account__idx" ON "pending_list_members"("project_id", "list_id", "created_at" DESC, "account_id" DESC);

-- CreateIndex
CREATE INDEX "rules_project_id_position_rule_id_idx" ON "rules"("project_id", "position", "rule_id");

-- CreateIndex
CREATE INDEX "rule_matches_project_id_rule_id_match_id_idx" ON "rule_matches"("project_id", "rule_id", "match_id" DESC);

-- CreateIndex
CREATE INDEX "rule_matches_account" ON "rule_matches"("project_id", "account_id", "match_id" DESC);

-- CreateIndex
CREATE INDEX "rule_matches_shadow" ON "rule_matches"("project_id", "shadow", "match_id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "rule_matches_once_key" ON "rule_matches"("project_id", "account_id", "session_id", "rule_id", "shadow");

-- CreateIndex
CREATE INDEX "decisions_project_id_account_id_decision_id_idx" ON "decisions"("project_id", "account_id", "decision_id" DESC);

-- CreateIndex
CREATE INDEX "outbox_events_project_id_account_id_idx" ON "outbox_events"("project_id", "account_id");

-- CreateIndex
CREATE INDEX "outbox_writes_project_id_write_id_idx" ON "outbox_writes"("project_id", "write_id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_project_id_endpoint_id_delivery_id_idx" ON "webhook_deliveries"("project_id", "endpoint_id", "delivery_id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_account_order" ON "webhook_deliveries"("project_id", "account_id", "endpoint_id", "position");

-- CreateIndex
CREATE INDEX "webhook_deliveries_project_id_event_id_idx" ON "webhook_deliveries"("project_id", "event_id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_type" ON "webhook_deliveries"("project_id", "event_type", "delivery_id" DESC);

-- CreateIndex
CREATE INDEX "webhook_attempts_project_id_delivery_id_attempt_id_idx" ON "webhook_attempts"("project_id", "delivery_id", "attempt_id" DESC);

-- CreateIndex
CREATE INDEX "audit_log_project_id_at_audit_id_idx" ON "audit_log"("project_id", "at" DESC, "audit_id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "audit_chain_project_id_audit_id_key" ON "audit_chain"("project_id", "audit_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_project_id_expires_at_idx" ON "idempotency_keys"("project_id", "expires_at");

-- CreateIndex
CREATE INDEX "idempotency_subjects_project_id_key_hash_idx" ON "idempotency_subjects"("project_id", "key_hash");

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_created_at_session_id_idx" ON "verification_sessions"("project_id", "created_at" DESC, "session_id" DESC);

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_account_id_idx" ON "verification_sessions"("project_id", "account_id");

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_bound_account_id_idx" ON "verification_sessions"("project_id", "bound_account_id");

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_completed_at_idx" ON "verification_sessions"("project_id", "completed_at");

-- CreateIndex
CREATE INDEX "verification_sessions_session_id_idx" ON "verification_sessions"("session_id");

-- CreateIndex
CREATE INDEX "verification_sessions_project_id_secret_hash_idx" ON "verification_sessions"("project_id", "secret_hash");

-- CreateIndex
CREATE UNIQUE INDEX "media_objects_project_id_session_id_kind_sequence_key" ON "media_objects"("project_id", "session_id", "kind", "sequence");

-- CreateIndex
CREATE INDEX "face_templates_project_id_account_id_idx" ON "face_templates"("project_id", "account_id");

-- CreateIndex
CREATE INDEX "face_templates_project_id_session_id_idx" ON "face_templates"("project_id", "session_id");

-- CreateIndex
CREATE INDEX "face_templates_project_id_change_number_idx" ON "face_templates"("project_id", "change_number");

-- CreateIndex
CREATE INDEX "document_sightings_project_id_number_hash_idx" ON "document_sightings"("project_id", "number_hash");

-- CreateIndex
CREATE INDEX "document_sightings_project_id_account_id_idx" ON "document_sightings"("project_id", "account_id");

-- CreateIndex
CREATE INDEX "email_batches_project_id_status_batch_id_idx" ON "email_batches"("project_id", "status", "batch_id");

-- CreateIndex
CREATE UNIQUE INDEX "email_batches_project_id_import_id_import_number_key" ON "email_batches"("project_id", "import_id", "import_number");

-- CreateIndex
CREATE INDEX "email_checks_of_address" ON "email_checks"("project_id", "address_hash", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "email_checks_project_id_batch_id_position_key" ON "email_checks"("project_id", "batch_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "persisted_operations_project_id_hash_key" ON "persisted_operations"("project_id", "hash");

-- CreateIndex
CREATE INDEX "account_outcomes_last_of_account" ON "account_outcomes"("project_id", "account_id", "outcome_id" DESC);

-- CreateIndex
CREATE INDEX "account_outcomes_by_report" ON "account_outcomes"("project_id", "reported_at");

-- CreateIndex
CREATE UNIQUE INDEX "account_outcomes_once_key" ON "account_outcomes"("project_id", "account_id", "outcome", "at");

-- CreateIndex
CREATE UNIQUE INDEX "demonstration_data_one_per_project" ON "demonstration_data"("project_id");

-- CreateIndex
CREATE INDEX "reveals_of_person" ON "reveals"("project_id", "person_id", "expires_at");

-- CreateIndex
CREATE INDEX "reveals_ended" ON "reveals"("project_id", "expires_at");

-- CreateIndex
CREATE INDEX "reveals_of_subject" ON "reveals"("project_id", "subject_id");

-- AddForeignKey
ALTER TABLE "session_patches" ADD CONSTRAINT "session_patches_project_id_session_id_fkey" FOREIGN KEY ("project_id", "session_id") REFERENCES "sessions"("project_id", "session_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "list_members" ADD CONSTRAINT "list_members_project_id_list_id_fkey" FOREIGN KEY ("project_id", "list_id") REFERENCES "lists"("project_id", "list_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "list_keep_offs" ADD CONSTRAINT "list_keep_offs_project_id_list_id_fkey" FOREIGN KEY ("project_id", "list_id") REFERENCES "lists"("project_id", "list_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pending_list_members" ADD CONSTRAINT "pending_list_members_project_id_list_id_fkey" FOREIGN KEY ("project_id", "list_id") REFERENCES "lists"("project_id", "list_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_subjects" ADD CONSTRAINT "idempotency_subjects_project_id_key_hash_fkey" FOREIGN KEY ("project_id", "key_hash") REFERENCES "idempotency_keys"("project_id", "key_hash") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "verification_reviews" ADD CONSTRAINT "verification_reviews_project_id_session_id_fkey" FOREIGN KEY ("project_id", "session_id") REFERENCES "verification_sessions"("project_id", "session_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_batches" ADD CONSTRAINT "email_batches_project_id_import_id_fkey" FOREIGN KEY ("project_id", "import_id") REFERENCES "email_imports"("project_id", "import_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_checks" ADD CONSTRAINT "email_checks_project_id_batch_id_fkey" FOREIGN KEY ("project_id", "batch_id") REFERENCES "email_batches"("project_id", "batch_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- End of the generated part.

-- Written by hand: what schema.prisma cannot describe.

-- Partitions. Events are partitioned by day, so that retention drops partitions instead of deleting rows. An event of a day
-- without a partition is stored in the default one.

create table outbox_events_default partition of outbox_events default;

-- Collations. Identifiers and names are compared by bytes, not by the language of the server.

alter table accounts
  alter column account_id type text collate "C",
  alter column account_group type text collate "C",
  alter column country type text collate "C";
alter table sessions
  alter column true_country_code type text collate "C",
  alter column device_id type text collate "C";
alter table account_sessions alter column country type text collate "C";
alter table identifiers alter column account_group type text collate "C";
alter table blocking_keys alter column account_group type text collate "C";
alter table lists alter column name type text collate "C";
alter table project_counters
  alter column kind type text collate "C",
  alter column key type text collate "C";
alter table account_outcomes alter column outcome type text collate "C";

-- Constraints.

alter table projects add constraint projects_environment_check check (environment in ('sandbox', 'production'));
alter table api_keys add constraint api_keys_role_check check (role in ('read', 'server', 'operator'));
alter table sessions add constraint sessions_state_check check (state in ('open', 'complete'));
alter table lists add constraint lists_effect_check check (effect in ('none', 'block', 'allow'));
alter table idempotency_keys add constraint idempotency_keys_state_check
  check (state in ('running', 'applied', 'done', 'erased'));
alter table reveals add constraint reveals_subject_kind_check
  check (subject_kind in ('account', 'session', 'verification', 'email_check'));
alter table links add constraint links_not_self check (account_id <> linked_account_id);
alter table blocking_keys add constraint blocking_keys_length check (octet_length(value_hash) = 8);
-- An enrolled face does not expire.
alter table face_templates add constraint enrolled_faces_stay check (not is_enrolled or expires_at is null);

-- Prisma describes lists without saying that they are not null.
alter table webhook_endpoints alter column event_types set not null;
alter table backtests alter column sample set not null;
alter table persisted_operations alter column operation_names set not null;

-- Fillfactor. A page keeps room for the next version of a row. An update that changes no indexed column then writes no entry of
-- an index (heap-only tuples).

alter table accounts set (fillfactor = 85);
-- Room for a row of 2 KB, the longest that PostgreSQL keeps in one piece: each session is updated when it is completed.
alter table sessions set (fillfactor = 75);
alter table identifiers set (fillfactor = 85);
alter table links set (fillfactor = 85);
alter table webhook_deliveries set (fillfactor = 85);

-- Statistics. One plan of a statement serves all projects. The planner assumes the average number of rows per project, which is one
-- or two if most projects are small: reading all rows of the project then looks as cheap as a key, also in a project with most of the
-- rows. n_distinct = 1 makes it assume the rows of the largest project, from the next ANALYZE on. Not for queues, which stay small.

do $$
declare
  name text;
begin
  foreach name in array array[
    'account_outcomes', 'account_sessions', 'account_standing', 'accounts', 'audit_chain', 'audit_log', 'audit_subjects',
    'backtest_matches', 'blocking_keys', 'decisions', 'document_sightings', 'email_checks', 'face_templates', 'fraud_sightings', 'idempotency_keys', 'idempotency_subjects',
    'identifiers', 'identity_changes', 'identity_groups', 'identity_members', 'links', 'list_keep_offs', 'list_members',
    'media_objects', 'outbox_events_default', 'outbox_writes', 'pending_list_members', 'project_counters', 'reveals', 'rule_matches',
    'session_patches', 'sessions', 'verification_reviews', 'verification_sessions', 'webhook_attempts', 'webhook_bodies', 'webhook_deliveries'
  ] loop
    execute format('alter table %I alter column project_id set (n_distinct = 1)', name);
  end loop;
end
$$;

-- Partial indexes, and indexes of expressions. Expressions use only what row-level security permits an index to evaluate:
-- comparisons and CASE, but neither COALESCE nor arithmetic.

-- Accounts whose match keys are to be recomputed, and those that also have stale keys.
create index accounts_stale_match_keys_1 on accounts (project_id, id) where match_key_version <> 1;
create index accounts_holding_stale_keys on accounts (project_id, id) where holds_stale_keys;

-- Searches of sessions.
create index sessions_address
  on sessions (project_id, (case when address_hash is null then network_hash else address_hash end), start_time desc, session_id desc);
create index sessions_subnet
  on sessions (project_id, (case when subnet_hash is null then compared_subnet_hash else subnet_hash end), start_time desc, session_id desc);
create index sessions_device on sessions (project_id, device_id, start_time desc, session_id desc) where device_id <> '';
create index sessions_browser
  on sessions (project_id, browser_hash, start_time desc, session_id desc) where browser_hash is not null;
-- One index for all risk signals: sessions with equal signals are a range in the order of the pages, and a search merges the
-- ranges that have its signal. Most sessions have none and are not in it.
create index sessions_signals
  on sessions (project_id, signals, start_time desc, session_id desc) where signals <> 0;

-- Links and identity groups.
create index links_bridging on links (project_id, account_id, linked_account_id) where bridges;
create index identity_members_unplaced on identity_members (project_id, group_id) where parent_id is null;
create index identity_changes_purge on identity_changes (project_id, at) where action <> 'merged';
-- The group into which a group was merged, by the id of the merged group.
create index identity_changes_merged
  on identity_changes (project_id, other_group_id, at desc, change_id desc) where action = 'merged';

-- Lists.
create index list_members_ending on list_members (project_id, expires_at) where expires_at is not null;
create index pending_list_members_ending on pending_list_members (project_id, expires_at) where expires_at is not null;

-- Decisions, with the tenth that contains the score: decisions from a score on are those of some tenths, each in the order of the
-- pages.
create index decisions_outcome
  on decisions (project_id, decision, (case
    when account_score >= 0.9 then 9 when account_score >= 0.8 then 8 when account_score >= 0.7 then 7
    when account_score >= 0.6 then 6 when account_score >= 0.5 then 5 when account_score >= 0.4 then 4
    when account_score >= 0.3 then 3 when account_score >= 0.2 then 2 when account_score >= 0.1 then 1 else 0 end),
    decision_id desc);

-- Events of an account or a session, and those that name an account only by the client's id.
create index outbox_events_other_account on outbox_events (project_id, other_account_id) where other_account_id is not null;
create index outbox_events_session on outbox_events (project_id, session_id) where session_id is not null;
create index outbox_events_account_hash
  on outbox_events (project_id, account_hash) where account_hash is not null and account_id is null;

-- Waiting deliveries: of each endpoint, first attempts and retries apart, in the order in which they are due.
create index webhook_deliveries_queue
  on webhook_deliveries (project_id, endpoint_id, is_retry, next_attempt_at, delivery_id) where state = 'waiting';
-- First attempts in the order of their account.
create index webhook_deliveries_order on webhook_deliveries (project_id, endpoint_id, account_id, position) where is_ordered;
create index webhook_deliveries_undelivered
  on webhook_deliveries (project_id, state, delivery_id desc) where state <> 'delivered';

-- Verifications: results, images and faces that expire, over all projects.
create index face_templates_expiry on face_templates (expires_at) where expires_at is not null;
create index document_sightings_expiry on document_sightings (expires_at) where expires_at is not null;
create index media_objects_expiry on media_objects (expires_at) where state <> 'gone';
create index verification_sessions_claimable on verification_sessions (claimable_at) where claimable_at is not null;
create index verification_sessions_results on verification_sessions (created_at) where result is not null or capture is not null;
create index verification_sessions_without_result
  on verification_sessions (created_at) where state not in ('processing', 'completed');
-- Those that purges select in a project.
create index media_objects_gone on media_objects (project_id, object_id) where state = 'gone';
create index verification_sessions_unbound
  on verification_sessions (project_id, completed_at)
  where state = 'completed' and bound_account_id is null and octet_length(secret_hash) > 0;
create index verification_sessions_remainder
  on verification_sessions (project_id, completed_at) where octet_length(secret_hash) = 0;
-- Verifications that refer to a session, and those of accounts that still do, by their completion.
create index verification_sessions_referring
  on verification_sessions (project_id, referring_session_id) where referring_session_id is not null;
create index verification_sessions_bound_referring
  on verification_sessions (project_id, completed_at)
  where state = 'completed' and bound_account_id is not null and referring_session_id is not null;
-- Reviewed verifications, the newest first. Most are never reviewed.
create index verification_sessions_reviewed
  on verification_sessions (project_id, review, created_at desc, session_id desc) where review <> '';

-- An account has at most one enrolled face, also after concurrent enrollments.
create unique index face_templates_enrolled on face_templates (project_id, account_id) where is_enrolled;
-- Templates of another version of the face pipeline, except those that the current version cannot recompute.
create index face_templates_stale_1
  on face_templates (project_id, template_id) where pipeline_version <> 1 and unreadable_version <> 1;

-- Batches that are not completed, and checks outside of batches without a result: of all projects, for the next free process.
create index email_batches_open on email_batches (worked_at) where status <> 'completed';
create index backtests_claimable on backtests (claimable_at) where claimable_at is not null;
create index demonstration_data_claimable on demonstration_data (claimable_at) where claimable_at is not null;
create index email_checks_claimable on email_checks (claimable_at) where claimable_at is not null;
create index email_checks_of_account on email_checks (project_id, account_id) where account_id is not null;

-- Entries of the audit log with a value that expires.
create index audit_log_expiry on audit_log (at) where address is not null or reason is not null;
-- Entries of a person in all projects, for export and erasure.
create index audit_log_person on audit_log (actor, project_id) where actor like 'person:%';

-- Roles. vouchgraph_app serves requests, vouchgraph_system does everything that concerns all projects (relay, jobs, command
-- line). Neither owns a table. Roles belong to the server: another database may have created them.

do $$
begin
  begin
    create role vouchgraph_app nologin nobypassrls;
  exception when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  begin
    create role vouchgraph_system nologin nobypassrls;
  exception when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  -- The owner may become either role, and has the rights of neither by itself: row-level security then applies to the owner too
  -- (from PostgreSQL 16 on; 15 has no grant without inheritance). An owner who may not grant the roles is a member already,
  -- which the migration checks before it starts.
  begin
    execute format('grant vouchgraph_app, vouchgraph_system to %I', current_user) ||
      case when current_setting('server_version_num')::integer >= 160000 then ' with inherit false, set true' else '' end;
  exception when insufficient_privilege or unique_violation then null;
  end;
  execute format('grant usage on schema %I to vouchgraph_app, vouchgraph_system', current_schema());
end
$$;

-- Row-level security, in addition to the condition on project_id of every statement. vouchgraph_app sees the rows of the project
-- in app.project, and none if it is not set. vouchgraph_system sees all rows. FORCE applies it to the owner of the tables too.

do $$
declare
  name text;
begin
  foreach name in array array[
    'account_outcomes', 'account_sessions', 'account_standing', 'accounts', 'api_keys', 'audit_chain', 'audit_log', 'audit_subjects',
    'audit_unchained', 'backtest_matches',
    'backtests', 'blocking_keys', 'calibrations', 'decisions', 'demonstration_data', 'document_sightings', 'email_batches', 'email_checks', 'email_imports',
    'face_templates', 'fraud_sightings', 'idempotency_keys', 'idempotency_subjects', 'identifiers', 'identity_changes',
    'identity_groups', 'identity_members', 'identity_recalculations', 'link_recalculations', 'links', 'list_keep_offs',
    'list_members', 'lists', 'media_objects', 'outbox_events', 'outbox_events_default', 'outbox_positions',
    'outbox_unnumbered_writes', 'outbox_writes', 'pending_list_members', 'persisted_operations', 'project_counters',
    'projects', 'purge_progress', 'reveals', 'rule_matches', 'rule_versions', 'rules', 'session_patches', 'sessions', 'standing_flags', 'standing_recalculations', 'stats_positions',
    'verification_reviews', 'verification_sessions', 'webhook_attempts', 'webhook_bodies', 'webhook_deliveries',
    'webhook_endpoints'
  ] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy one_project on %I to vouchgraph_app
         using (project_id = (select nullif(current_setting(''app.project'', true), '''')::uuid))
         with check (project_id = (select nullif(current_setting(''app.project'', true), '''')::uuid))', name);
    execute format('create policy every_project on %I to vouchgraph_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to vouchgraph_app, vouchgraph_system', name);
  end loop;
end
$$;

grant usage on sequence outbox_unnumbered_writes_write_id_seq, audit_unchained_number_seq, face_templates_change_number_seq, standing_flags_flag_id_seq
  to vouchgraph_app, vouchgraph_system;

-- Only the system creates and deletes projects, fits calibrations, and extends the chain of the audit log. The audit log and the
-- versions of rules are append-only; values of the audit log can be erased (check_erasure).
revoke insert, delete on projects from vouchgraph_app;
revoke insert, update, delete on calibrations from vouchgraph_app;
revoke delete on audit_log from vouchgraph_app;
revoke update on audit_log from vouchgraph_app, vouchgraph_system;
grant update (address, address_hash, address_salt, reason, reason_salt, before, before_salt, after, after_salt)
  on audit_log to vouchgraph_app, vouchgraph_system;
revoke insert, update, delete on audit_chain from vouchgraph_app;
revoke update, delete on audit_unchained from vouchgraph_app;
revoke update on audit_subjects from vouchgraph_app;
revoke update, delete on rule_versions from vouchgraph_app;

-- People of the console, in a schema of their own: vouchgraph_system alone may use it, and no statement of a request joins it with
-- data of a project. better-auth reads and writes the first seven tables under these names (src/domain/people/sign-in-adapter.ts).

create schema vouchgraph_people;

create table vouchgraph_people.people (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- In lower case.
  email text not null unique,
  email_verified boolean not null,
  image text,
  two_factor_enabled boolean,
  -- A disabled person cannot sign in.
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table vouchgraph_people.sessions (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references vouchgraph_people.people on delete cascade,
  -- Random; the cookie also has a signature, whose key is not in the database.
  token text not null unique,
  ip_address text,
  user_agent text,
  -- How the person signed in.
  method text not null default '',
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index sessions_person on vouchgraph_people.sessions (person_id);
create index sessions_expiry on vouchgraph_people.sessions (expires_at);

-- A password hash (provider 'credential'), or an identity at an OpenID Connect provider.
create table vouchgraph_people.credentials (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references vouchgraph_people.people on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);
create index credentials_person on vouchgraph_people.credentials (person_id);

-- Values of a sign-in in progress: challenges of passkeys and second factors, states of OpenID Connect.
create table vouchgraph_people.verifications (
  id uuid primary key default gen_random_uuid(),
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_identifier on vouchgraph_people.verifications (identifier);
create index verifications_expiry on vouchgraph_people.verifications (expires_at);

create table vouchgraph_people.two_factors (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null unique references vouchgraph_people.people on delete cascade,
  -- Both encrypted.
  secret text not null,
  backup_codes text not null,
  verified boolean,
  failed_verification_count integer,
  locked_until timestamptz
);

create table vouchgraph_people.passkeys (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references vouchgraph_people.people on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index passkeys_person on vouchgraph_people.passkeys (person_id);

-- Codes of authenticator apps that were used a short time ago: each signs in once.
create table vouchgraph_people.used_codes (
  person_id uuid not null references vouchgraph_people.people on delete cascade,
  code text not null,
  used_at timestamptz not null,
  primary key (person_id, code)
);

-- Attempts to sign in, by client address and path, and by email.
create table vouchgraph_people.attempts (
  id uuid primary key default gen_random_uuid(),
  key text not null unique,
  count integer not null,
  last_request bigint not null
);

-- OpenID Connect providers of the sign-in.
create table vouchgraph_people.providers (
  id text primary key check (id ~ '^[a-z][a-z0-9-]{0,31}$' and id <> 'credential'),
  name text not null,
  -- An identity is an issuer and a subject: an issuer has one provider.
  issuer text not null unique,
  client_id text not null,
  -- Encrypted; null for a client without a secret.
  client_secret bytea,
  scopes text[] not null,
  created_at timestamptz not null
);

-- Claims of a provider that give a role in a project.
create table vouchgraph_people.provider_roles (
  provider_id text not null references vouchgraph_people.providers on delete cascade,
  project_id uuid not null references projects on delete cascade,
  claim text not null,
  value text not null,
  role text not null check (role in ('viewer', 'analyst', 'admin')),
  created_at timestamptz not null,
  primary key (provider_id, project_id, claim, value)
);
create index provider_roles_project on vouchgraph_people.provider_roles (project_id);

create table vouchgraph_people.memberships (
  person_id uuid not null references vouchgraph_people.people on delete cascade,
  project_id uuid not null references projects on delete cascade,
  role text not null check (role in ('viewer', 'analyst', 'admin')),
  -- The provider whose claims gave the role; null for a role that a person or a command gave.
  provider_id text references vouchgraph_people.providers on delete cascade,
  created_at timestamptz not null,
  primary key (person_id, project_id)
);
create index memberships_provider on vouchgraph_people.memberships (provider_id) where provider_id is not null;
create index memberships_project on vouchgraph_people.memberships (project_id);

-- Links with which a person enters, or chooses another password. Only the hash of a link's secret is stored.
create table vouchgraph_people.invitations (
  id uuid primary key,
  secret_hash bytea not null unique,
  -- Null for the first administrator, who chooses it.
  email text,
  name text not null,
  -- The person that gets another password; null for one that enters.
  person_id uuid references vouchgraph_people.people on delete cascade,
  -- Roles by project: [{"projectId": …, "role": …}].
  memberships jsonb not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  spent_at timestamptz
);
create index invitations_expiry on vouchgraph_people.invitations (expires_at);

grant usage on schema vouchgraph_people to vouchgraph_system;
grant select, insert, update, delete on all tables in schema vouchgraph_people to vouchgraph_system;

-- Partitions of days. Creating and dropping them needs a lock that excludes readers and writers, and every statement that comes
-- later waits behind it: writers would wait for a backup. So the functions wait shortly and try again at another time.

-- Drops the oldest partition of a day that ended before the given time. Returns 0 if there is none, or if it is in use. It drops
-- one at a time, so that the lock of the whole table is not held while it waits for the next partition.
CREATE FUNCTION vouchgraph_drop_outbox(before timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('vouchgraph_prepare_outbox'));
    SELECT c.relname INTO part
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'outbox_events'::regclass AND c.relname ~ '^outbox_events_[0-9]{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= (before AT TIME ZONE 'UTC')::date
    ORDER BY c.relname LIMIT 1;
    IF part IS NULL THEN
        RETURN 0;
    END IF;
    EXECUTE format('DROP TABLE %I', part);
    RETURN 1;
EXCEPTION WHEN lock_not_available THEN
    RETURN 0;
END
$$;
revoke all on function vouchgraph_drop_outbox(timestamptz) from public;
grant execute on function vouchgraph_drop_outbox(timestamptz) to vouchgraph_system;

-- Creates the partitions from today for the given number of days. It can be repeated and run in parallel.
CREATE FUNCTION vouchgraph_prepare_outbox(days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
    day date;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('vouchgraph_prepare_outbox'));
    FOR day IN SELECT d::date FROM generate_series(now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC' + make_interval(days => days), interval '1 day') AS d LOOP
        part := 'outbox_events_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        BEGIN
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF outbox_events FOR VALUES FROM (%L) TO (%L)',
                part, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
            EXECUTE format('ALTER TABLE %I ALTER COLUMN project_id SET (n_distinct = 1)', part);
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
            EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
            EXECUTE format(
                'CREATE POLICY one_project ON %I TO vouchgraph_app
                    USING (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))
                    WITH CHECK (project_id = (SELECT nullif(current_setting(''app.project'', true), '''')::uuid))', part);
            EXECUTE format('CREATE POLICY every_project ON %I TO vouchgraph_system USING (true) WITH CHECK (true)', part);
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO vouchgraph_app, vouchgraph_system', part);
        EXCEPTION WHEN check_violation THEN
            -- The default partition already holds rows of that day: they stay there.
            NULL;
        END;
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    -- Nothing is made: another time.
    NULL;
END
$$;
revoke all on function vouchgraph_prepare_outbox(integer) from public;
grant execute on function vouchgraph_prepare_outbox(integer) to vouchgraph_system;

-- Triggers.

-- The stored body of an event is deleted with the event, whatever deletes it. Who stores a body locks its event meanwhile.
create function vouchgraph_delete_bodies() returns trigger language plpgsql set search_path from current as $$
begin
  delete from webhook_bodies b using gone g where b.project_id = g.project_id and b.event_id = g.event_id;
  return null;
end
$$;
create trigger delete_bodies after delete on outbox_events
  referencing old table as gone for each statement execute function vouchgraph_delete_bodies();

-- If a delivery is deleted before its first attempt has ended, the next delivery of its account becomes due, whatever deletes it.
-- The lock is that of webhooks/delivery-queue-store.ts: meanwhile no dispatch adds a delivery behind the deleted one.
create function vouchgraph_release_deliveries() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (select 1 from gone where is_ordered and next_attempt_at is not null) then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('webhook deliveries ' || p.project_id, 0))
  from (select distinct project_id from gone where is_ordered order by project_id) p;
  update webhook_deliveries d set next_attempt_at = h.due_at
  from (
    select project_id, endpoint_id, account_id, min(next_attempt_at) as due_at
    from gone where is_ordered group by project_id, endpoint_id, account_id
  ) h
  cross join lateral (
    select x.delivery_id, x.next_attempt_at from webhook_deliveries x
    where x.project_id = h.project_id and x.endpoint_id = h.endpoint_id and x.account_id = h.account_id and x.is_ordered
    order by x.position limit 1 for update
  ) f
  where h.due_at is not null and f.next_attempt_at is null
    and d.project_id = h.project_id and d.delivery_id = f.delivery_id;
  return null;
end
$$;
create trigger release_deliveries after delete on webhook_deliveries
  referencing old table as gone for each statement execute function vouchgraph_release_deliveries();

-- Every entry of the audit log waits for its link of the chain, whatever inserts it.
create function vouchgraph_enqueue_audit_entry() returns trigger language plpgsql set search_path from current as $$
begin
  insert into audit_unchained (project_id, audit_id) values (new.project_id, new.audit_id);
  return null;
end
$$;
create trigger enqueue_entry after insert on audit_log for each row execute function vouchgraph_enqueue_audit_entry();

-- A value of the audit log is erased with its salt, and not changed in any other way.
create function vouchgraph_check_audit_erasure() returns trigger language plpgsql set search_path from current as $$
begin
  if (new.before is distinct from old.before or new.before_salt is distinct from old.before_salt)
      and num_nonnulls(new.before, new.before_salt) > 0
    or (new.after is distinct from old.after or new.after_salt is distinct from old.after_salt)
      and num_nonnulls(new.after, new.after_salt) > 0
    or (new.reason is distinct from old.reason or new.reason_salt is distinct from old.reason_salt)
      and num_nonnulls(new.reason, new.reason_salt) > 0
    or (new.address is distinct from old.address or new.address_hash is distinct from old.address_hash
        or new.address_salt is distinct from old.address_salt)
      and num_nonnulls(new.address, new.address_hash, new.address_salt) > 0
  then
    raise exception 'values of the audit log can be erased, and not changed' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger check_erasure before update on audit_log for each row execute function vouchgraph_check_audit_erasure();

-- The partitions of the first days.
select vouchgraph_prepare_outbox(7);
