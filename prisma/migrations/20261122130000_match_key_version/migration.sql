-- The rules by which the keys of an account were made that it is matched by (domain/linking/account-identifiers.ts): 1 for
-- those of earlier versions. A background job rewrites the keys of earlier rules. Until all accounts of the project
-- have the new keys, accounts keep their earlier ones besides, so that links between them do not end in between.
ALTER TABLE "accounts"
  ADD COLUMN "match_key_version" SMALLINT NOT NULL DEFAULT 1,
  ADD COLUMN "holds_earlier_keys" BOOLEAN NOT NULL DEFAULT false;
