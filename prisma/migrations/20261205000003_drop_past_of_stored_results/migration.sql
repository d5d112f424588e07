-- Every session has a trace.
ALTER TABLE "sessions" ALTER COLUMN "trace" SET NOT NULL;
