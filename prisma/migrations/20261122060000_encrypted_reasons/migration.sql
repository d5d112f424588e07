-- Reasons of list members and addresses to return to are encrypted like other personal data. A background job encrypts the
-- rows of earlier versions and empties the plain columns, which stay for gateways of the version before.
ALTER TABLE "list_members" ADD COLUMN "sealed_reason" BYTEA;
ALTER TABLE "verification_sessions" ADD COLUMN "sealed_redirect_url" BYTEA;
