-- What an endpoint is told of one account, in order; and all of one account, to erase it.
CREATE INDEX "webhook_deliveries_account_order" ON "webhook_deliveries" ("project_id", "account_id", "endpoint_id", "position");
DROP INDEX "webhook_deliveries_project_id_account_id_idx";
