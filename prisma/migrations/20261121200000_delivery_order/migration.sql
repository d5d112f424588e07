-- What an endpoint is told of one account, in order; and all of one account, to erase it.
CREATE INDEX "webhook_deliveries_account_order" ON "webhook_deliveries" ("project_id", "account_id", "endpoint_id", "position");
DROP INDEX "webhook_deliveries_project_id_account_id_idx";

-- Deliveries that wait, by when they are due: those without a job are looked for among them.
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" ("project_id", "endpoint_id", "next_attempt_at", "delivery_id") WHERE "state" = 'waiting';

-- Resumed, and what waits has not all got its jobs yet: nothing new is made for it meanwhile, which would come before.
ALTER TABLE "webhook_endpoints" ADD COLUMN "is_resuming" BOOLEAN NOT NULL DEFAULT false;
